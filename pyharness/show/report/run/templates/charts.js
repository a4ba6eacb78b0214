;
// Draws each chart in the colours of the page, and again when these change.
const specs = document.getElementById("specs").textContent;
const places = [...document.querySelectorAll(".chart")];
const stand = { "#101112": "--ink", "#707172": "--muted", "#d0d1d2": "--line" };

const tooltip = { theme: "custom", disableDefaultStyle: true };

async function draw() {
  const style = getComputedStyle(document.documentElement);
  let text = specs;
  for (const [colour, name] of Object.entries(stand)) {
    text = text.replaceAll(colour, style.getPropertyValue(name).trim());
  }
  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip };
  const drawn = JSON.parse(text).map((spec, index) => vegaEmbed(places[index], spec, options));
  await Promise.all(drawn);
  document.body.dataset.drawn = "yes";
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
