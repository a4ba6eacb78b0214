"use strict";
(() => {
  // Without this script the page loads itself anew each second; with it, what is new is put in its place.
  const one = (selector) => document.querySelector(selector);
  const hold = one("#hold");
  let held = false;

  const toEnd = () => {
    const box = one(".diagram");
    const keep = () => box.querySelector(".names")?.setAttribute("transform", `translate(${box.scrollLeft},0)`);
    box.addEventListener("scroll", keep);
    box.scrollLeft = box.scrollWidth;
    keep();
  };

  const put = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const rows = one(".rows")?.scrollTop ?? 0;
    one("#live").replaceWith(document.adoptNode(page.querySelector("#live")));
    if (one(".rows")) one(".rows").scrollTop = rows;
    toEnd();
  };

  const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

  const follow = async () => {
    while (one("#live").dataset.over === "") {
      await wait(400);
      if (held || document.hidden) continue;
      try {
        const answer = await fetch("./");
        if (!answer.ok) throw new Error(String(answer.status));
        const text = await answer.text();
        if (!held) put(text);
      } catch {
        one("#said").textContent = "The run has ended, and its page with it.";
        break;
      }
    }
    hold.hidden = true;
  };

  const toggle = () => {
    held = !held;
    hold.setAttribute("aria-pressed", String(held));
    hold.textContent = held ? "Go on" : "Hold";
  };
  hold.hidden = one("#live").dataset.over !== "";
  hold.addEventListener("click", toggle);
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !hold.hidden && !event.target.closest("a, button, input, summary")) {
      event.preventDefault();
      toggle();
    }
  });
  toEnd();
  follow();
})();
