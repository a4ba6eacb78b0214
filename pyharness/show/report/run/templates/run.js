"use strict";
// Opens the model that a link leads to, and shows only the models whose words have all that is typed.
const models = [...document.querySelectorAll("details.model")];
const filter = document.getElementById("filter");
const found = document.getElementById("found");

function open() {
  const id = decodeURIComponent(location.hash.slice(1));
  const details = document.getElementById(id)?.closest("details.model");
  if (details) {
    details.hidden = false;
    details.open = true;
    details.scrollIntoView({ block: "start" });
  }
}

function choose() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const model of models) {
    const words = model.dataset.words.toLowerCase();
    model.hidden = !wanted.every((word) => words.includes(word));
  }
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = !group.querySelector("details.model:not([hidden])");
  }
  const shown = models.filter((model) => !model.hidden).length;
  found.textContent = wanted.length ? `${shown} of ${models.length}` : "";
}

filter.closest("p").hidden = models.length < 6;
filter.addEventListener("input", choose);
addEventListener("hashchange", open);
open();
