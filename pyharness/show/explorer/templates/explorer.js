"use strict";
(() => {
  // Without this script each form loads the page anew; with it, what is new is put in its place, and keys work.
  const one = (selector) => document.querySelector(selector);
  const root = document.documentElement;
  root.classList.add("scripted", "explorer-page");
  let waiting = Promise.resolve(); // what was pressed while the answer to something else was awaited comes after it

  const pointers = () => {
    const main = one("#explorer");
    const box = one("main > .diagram");
    const states = one(".states-box");
    if (states) states.querySelector(`[data-state="${states.dataset.here}"]`)?.classList.add("here");
    const column = box.querySelector("th[aria-current]");
    if (column) {
      const left = box.querySelector("tbody th")?.offsetWidth ?? 0;
      if (column.offsetLeft < box.scrollLeft + left) box.scrollLeft = column.offsetLeft - left;
      const right = column.offsetLeft + column.offsetWidth;
      if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
      return;
    }
    const picture = box.querySelector("svg");
    const [first, left, pitch] = ["first", "left", "pitch"].map((name) => Number(picture.getAttribute(`data-${name}`)));
    const last = main.dataset.line.split(" ").length - 1;
    const step = Number(main.dataset.step);
    const x = left + (step - first) * pitch;
    picture.querySelector(".now").setAttribute("x", String(x));
    const veil = picture.querySelector(".veil");
    veil.setAttribute("x", String(x + pitch));
    veil.setAttribute("width", String(step >= last ? 0 : (last - step) * pitch + 110));
    const keep = () => picture.querySelector(".names").setAttribute("transform", `translate(${box.scrollLeft},0)`);
    box.addEventListener("scroll", keep);
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
    if ((x + pitch) * scale > box.scrollLeft + box.clientWidth || x * scale < box.scrollLeft + left) {
      box.scrollLeft = (x + pitch * 1.5) * scale - box.clientWidth + 60;
    }
    keep();
  };

  const put = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement?.id;
    const open = one("#graph").open;
    const scrolled = one("main > .diagram").scrollLeft;
    const chosen = [...document.querySelectorAll("main select, main input:not([type=hidden])")].map((field) => [field.id, field.value]);
    one("#explorer").replaceWith(document.adoptNode(page.querySelector("#explorer")));
    one("#graph").open = open;
    one("main > .diagram").scrollLeft = scrolled;
    for (const [id, value] of chosen) {
      const field = id && id !== "reached" && document.getElementById(id);
      if (field) field.value = value;
    }
    one("#said").className = page.querySelector("#said").className;
    one("#said").textContent = page.querySelector("#said").textContent;
    document.title = page.title;
    pointers();
    if (focused) (document.getElementById(focused) ?? one("#next-title")).focus({ preventScroll: true });
  };

  const ask = async (action, fields) => {
    const slow = setTimeout(() => { one("#said").textContent = "Searching …"; }, 400);
    try {
      const answer = await fetch(action, { method: "POST", body: new URLSearchParams(fields) });
      if (!answer.ok) throw new Error(String(answer.status));
      put(await answer.text());
    } catch {
      one("#said").className = "verdict";
      one("#said").textContent = "The explorer does not answer: was it ended? Start it again, and open the address that it prints.";
    } finally {
      clearTimeout(slow);
    }
  };
  const inTurn = (work) => {
    document.body.setAttribute("aria-busy", "true");
    const mine = waiting.then(work).then(() => {
      if (waiting === mine) document.body.removeAttribute("aria-busy");
    });
    waiting = mine;
  };
  const send = (action, fields) => inTurn(() => ask(action, fields));

  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    event.preventDefault();
    send(event.target.getAttribute("action"), new FormData(event.target, event.submitter));
  });

  document.addEventListener("click", (event) => {
    const state = event.target.closest(".states [data-state]");
    if (state) {
      send("reach", { state: state.getAttribute("data-state") });
      return;
    }
    const picture = event.target.closest("main > .diagram svg");
    if (!picture) return;
    const [first, left, pitch] = ["first", "left", "pitch"].map((name) => Number(picture.getAttribute(`data-${name}`)));
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * picture.viewBox.baseVal.width;
    const moment = one("#explorer").dataset.line.split(" ")[first + Math.floor((x - left) / pitch)];
    if (x >= left && moment !== undefined) send("go", { to: moment });
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, select, input, summary")) return;
    if (event.key === "?") {
      one("#keys").showModal();
      return;
    }
    const keyed = () => one(`#explorer button[data-key="${CSS.escape(event.key)}"]`);
    if (!keyed() && event.key.length > 1) return;
    if (keyed()) event.preventDefault();
    inTurn(() => {
      const button = keyed();
      return button && !button.disabled && button.form.reportValidity() ? ask(button.form.getAttribute("action"), new FormData(button.form, button)) : null;
    });
  });

  pointers();
})();
