"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const rows = all("#steps tr[data-step]");
  const diagram = one(".look .diagram");
  const picture = one(".look svg");
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);
  const lanesOf = (element) => numbers(element.getAttribute("data-lanes"));
  const first = Number(rows[0].dataset.step);
  const last = first + rows.length - 1;
  const pitch = Number(picture.getAttribute("data-pitch"));
  const left = Number(picture.getAttribute("data-left"));

  document.documentElement.classList.add("scripted");
  for (const row of rows) row.removeAttribute("id"); // the address is ours to follow
  one("#steps details").open = false;
  for (const hidden of all(".controls, .state")) hidden.hidden = false;
  if (!one(".look").classList.contains("narrow")) {
    const wide = document.createElement("div");
    wide.className = "wide";
    one("#steps").before(wide);
    wide.append(one(".state"), one("#steps"));
  }

  // What each step changes stands in the table; a state is what all steps up to it have made.
  const changes = rows.map((row) => all("li[data-name]", row).map((item) => ({
    name: item.dataset.name,
    lanes: lanesOf(item),
    said: !item.hidden,
    text: "gone" in item.dataset ? null : item.querySelector("code").textContent,
    words: item.querySelector(".value summary")?.textContent ?? null,
  })));
  const variable = (name) => name.split("[")[0];
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const stateAt = (step) => {
    const state = new Map();
    for (let i = 0; i <= step - first; i += 1) {
      for (const change of changes[i]) {
        if (change.text === null) state.delete(change.name);
        else state.set(change.name, change);
      }
    }
    return [...state.values()].sort((a, b) => compare(variable(a.name), variable(b.name)) || compare(a.name, b.name));
  };

  const events = all(".event", picture).map((element) => ({
    element, lanes: lanesOf(element),
  }));
  const messages = all(".message[data-sent]", picture).map((element) => ({
    element,
    at: Number(element.getAttribute("data-sent")),
    end: element.hasAttribute("data-end") ? Number(element.getAttribute("data-end")) : Infinity,
    lanes: lanesOf(element),
  }));
  const names = all(".name", picture);
  const captions = all(".caption", picture).map((element) => ({ element, lanes: lanesOf(element) }));
  diagram.addEventListener("scroll", () => {
    one(".look .names").setAttribute("transform", `translate(${diagram.scrollLeft},0)`);
  });

  let step = first;
  let process = null;

  const shows = (lanes) => process === null || lanes.length === 0 || lanes.includes(process);
  const stops = () => rows.filter((row) => shows(lanesOf(row))).map((row) => Number(row.dataset.step));

  const cell = (kind, text) => {
    const element = document.createElement(kind);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const value = (row) => {
    const code = cell("code");
    code.append(cell("bdi", row.text));
    if (row.words === null) return code;
    const [details, summary] = [cell("details"), cell("summary")];
    details.className = "value";
    summary.append(cell("bdi", row.words));
    details.append(summary, code);
    return details;
  };

  const drawState = () => {
    const before = new Map(step > first ? stateAt(step - 1).map((row) => [row.name, row]) : []);
    const now = stateAt(step).filter((row) => shows(row.lanes));
    const changed = new Set(step > first ? changes[step - first].map((change) => change.name) : []);
    const made = now.map((row) => {
      const line = cell("tr");
      const head = cell("th");
      head.scope = "row";
      head.append(cell("bdi", row.name));
      const data = cell("td");
      data.append(value(row));
      if (changed.has(row.name)) {
        line.className = "changed";
        const was = cell("span", "was ");
        was.className = "was";
        if (before.has(row.name)) was.append(value(before.get(row.name)));
        else was.textContent = "new";
        data.append(was);
      }
      line.append(head, data);
      return line;
    });
    one("#state").replaceChildren(...made);
    one("#state-title").textContent = `State ${step + 1}`;
  };

  const bring = (container, row) => {
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    const inView = top >= container.scrollTop + 30 && bottom <= container.scrollTop + container.clientHeight;
    if (!inView) container.scrollTop = top - 60;
  };

  const show = (wanted, { quiet = false } = {}) => {
    step = Math.min(Math.max(wanted, first), last);
    for (const { element, lanes } of events) {
      element.classList.toggle("other", !shows(lanes));
    }
    for (const { element, at, end, lanes } of messages) {
      element.classList.toggle("live", at <= step && step < end);
      element.classList.toggle("other", !shows(lanes));
    }
    for (const { element, lanes } of captions) element.classList.toggle("other", !shows(lanes));
    const x = left + (step - first) * pitch;
    const band = one(".look .now");
    band.setAttribute("x", String(x));
    const veil = one(".look .veil");
    veil.setAttribute("x", String(x + pitch));
    veil.setAttribute("width", String(step === last ? 0 : (last - step) * pitch + 110));
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
    if (x * scale < diagram.scrollLeft + left || (x + pitch) * scale > diagram.scrollLeft + diagram.clientWidth) {
      diagram.scrollLeft = (x + pitch / 2) * scale - diagram.clientWidth / 2;
    }
    for (const row of rows) {
      row.hidden = !shows(lanesOf(row)) && Number(row.dataset.step) !== step;
      row.removeAttribute("aria-current");
    }
    const row = rows[step - first];
    row.setAttribute("aria-current", "step");
    bring(one("#steps .rows"), row);
    const action = row.querySelector("td").innerText.trim().replace(/\s*\n\s*/g, "; ");
    const said = `Step ${step + 1} of ${last + 1}: ${action}`;
    one("#said").textContent = said;
    one("#slider").value = String(step + 1);
    one("#slider").setAttribute("aria-valuetext", said);
    for (const id of ["#first", "#back"]) one(id).disabled = step === first;
    for (const id of ["#next", "#last"]) one(id).disabled = step === last;
    drawState();
    const changed = one("#state .changed");
    if (changed) bring(one(".state .rows"), changed);
    if (!quiet) {
      const names = changes[step - first].filter((change) => change.said).slice(0, 6).map((change) => change.name).join(", ");
      one("#live").textContent = `${said}. Changed: ${names || "nothing"}.`;
      const shown = process === null ? "" : `&process=${process}`;
      try {
        history.replaceState(null, "", `#step=${step + 1}${shown}`);
      } catch {
        // a page that is shown inside another may not have an address
      }
    }
  };

  const move = (by) => {
    const places = stops();
    const wanted = by > 0 ? places.find((at) => at > step) : places.findLast((at) => at < step);
    if (wanted !== undefined) show(wanted);
  };
  const project = (lane) => {
    process = lane;
    one("#process").value = lane === null ? "" : String(lane);
    for (const name of names) {
      name.classList.toggle("other", process !== null && Number(name.getAttribute("data-lane")) !== process);
    }
    show(step);
  };

  const fromAddress = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const lane = asked.get("process");
    if (lane !== null && one(`#process option[value="${CSS.escape(lane)}"]`)) process = Number(lane);
    one("#process").value = process === null ? "" : String(process);
    const number = Number(asked.get("step"));
    const known = Number.isInteger(number) && number > 0;
    const broken = one("#steps tr.violated");
    show(known ? number - 1 : broken ? Number(broken.dataset.step) : last, { quiet: true });
  };

  one("#first").addEventListener("click", () => show(first));
  one("#back").addEventListener("click", () => move(-1));
  one("#next").addEventListener("click", () => move(1));
  one("#last").addEventListener("click", () => show(last));
  one("#slider").addEventListener("input", (event) => show(Number(event.target.value) - 1));
  one("#process").addEventListener("change", (event) => project(event.target.value === "" ? null : Number(event.target.value)));
  one("#help").addEventListener("click", () => one("#keys").showModal());
  one("#steps tbody").addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !String(getSelection())) show(Number(row.dataset.step));
  });
  picture.addEventListener("click", (event) => {
    const name = event.target.closest(".name");
    if (name) {
      const lane = Number(name.getAttribute("data-lane"));
      if (one(`#process option[value="${lane}"]`)) project(process === lane ? null : lane);
      return;
    }
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * picture.viewBox.baseVal.width;
    show(first + Math.floor((x - left) / pitch));
  });
  let touched = null;
  one(".state").addEventListener("touchstart", (event) => { touched = event.touches[0].clientX; }, { passive: true });
  one(".state").addEventListener("touchend", (event) => {
    const by = touched === null ? 0 : event.changedTouches[0].clientX - touched;
    touched = null;
    if (Math.abs(by) > 50) move(by < 0 ? 1 : -1);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, select, textarea")) return;
    const wanted = {
      ArrowRight: () => move(1), j: () => move(1), ArrowLeft: () => move(-1), k: () => move(-1),
      Home: () => show(first), End: () => show(last), "?": () => one("#keys").showModal(),
    }[event.key];
    if (!wanted) return;
    event.preventDefault();
    wanted();
  });
  window.addEventListener("hashchange", fromAddress);

  // Copying.
  const itf = () => {
    const document = JSON.parse(one("#itf").textContent);
    let state = {};
    document.states = document.states.map((changed) => {
      state = { ...state, ...changed };
      return state;
    });
    return document;
  };
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      const label = button.textContent;
      button.textContent = "Copied";
      one("#live").textContent = "Copied.";
      setTimeout(() => { button.textContent = label; }, 1200);
    } catch {
      const field = one("#text textarea");
      field.value = text;
      one("#text").showModal();
      field.select();
    }
  };
  one("#copy-itf").addEventListener("click", (event) => copy(event.currentTarget, `${JSON.stringify(itf(), null, 1)}\n`));
  one("#copy-state").addEventListener("click", (event) => copy(event.currentTarget, JSON.stringify(itf().states[step], null, 1)));

  // The equivalent computation, swap by swap: it begins with the one that happened.
  const sorted = one("#sorted");
  if (sorted) {
    const items = all("li", sorted);
    const whites = items.findIndex((item) => item.classList.contains("sss"));
    const swaps = all("#swaps li");
    const original = [...items].sort((a, b) => a.dataset.original - b.dataset.original);
    let done = swaps.length;
    const drawOrder = () => {
      const order = [...original];
      for (const item of items) item.classList.remove("sss", "swapped");
      for (const swap of swaps) swap.removeAttribute("aria-current");
      for (const swap of swaps.slice(0, done)) {
        const at = Number(swap.dataset.at) - 1;
        [order[at], order[at + 1]] = [order[at + 1], order[at]];
      }
      const current = done > 0 ? swaps[done - 1] : null;
      if (current) {
        current.setAttribute("aria-current", "true");
        const at = Number(current.dataset.at) - 1;
        order[at].classList.add("swapped");
        order[at + 1].classList.add("swapped");
      }
      if (done === swaps.length && whites >= 0) order[whites].classList.add("sss");
      sorted.replaceChildren(...order);
      one("#sorted-title").textContent = done === swaps.length ? "White before red" : "On the way";
      one("#swapped").textContent = `after swap ${done} of ${swaps.length}`;
      one("#unswap").disabled = done === 0;
      one("#swap").disabled = done === swaps.length;
    };
    one("#unswap").addEventListener("click", () => { done -= 1; drawOrder(); });
    one("#swap").addEventListener("click", () => { done += 1; drawOrder(); });
    if (swaps.length) drawOrder();
    else one(".swapping").hidden = true;
  }

  fromAddress();
  if (location.hash) window.addEventListener("load", () => window.scrollTo(0, 0));
})();
