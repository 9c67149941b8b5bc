// Draws the tree of calling contexts: a row for each depth, width by count, colour by layer. Click to zoom in.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("flame-data").textContent);
  const classes = JSON.parse(document.getElementById("flame-classes").textContent);
  const flame = document.getElementById("flame");
  const detail = document.getElementById("flame-detail");
  const measure = document.getElementById("flame-measure");
  const search = document.getElementById("flame-search");
  const ROW_PX = 19, WIDTH_MIN = 0.0008;
  const size = data.parent.length;
  const children = Array.from({ length: size }, () => []);
  const roots = [];
  data.parent.forEach((parent, node) => (parent < 0 ? roots : children[parent]).push(node));
  let totals = [], zoomed = -1;

  const name = (node) => (node < 0 ? "all" : data.functions[data.function[node]]);
  const total = (node) => (node < 0 ? roots.reduce((sum, root) => sum + totals[root], 0) : totals[node]);
  const count = (number) => number.toLocaleString("en");
  // Of a small share two decimals would leave nothing.
  const percent = (share) => (share > 0 && share < 0.0001 ? (100 * share).toPrecision(2) : (100 * share).toFixed(2));

  function addUp() {
    totals = data[measure.value].slice();
    for (let node = size - 1; node >= 0; node--) {
      if (data.parent[node] >= 0) totals[data.parent[node]] += totals[node];
    }
  }

  function describe(node) {
    const whole = total(-1) || 1, what = measure.value;
    const path = [];
    for (let at = node; at >= 0; at = data.parent[at]) path.unshift(name(at));
    const own = node < 0 ? 0 : data[what][node];
    const layer = node < 0 ? "" : `, layer ${data.layers[data.layer[node]]}, entered by ${data.entry[node]}`;
    detail.textContent = `${name(node)}: ${count(total(node))} ${what} (${percent(total(node) / whole)} %), ` +
      `${count(own)} in itself${layer}. ${path.join(" → ")}`;
  }

  function draw() {
    const wanted = search.value.trim().toLowerCase();
    const made = document.createDocumentFragment();
    let deepest = 0, found = 0;

    function box(node, left, width, depth) {
      const button = document.createElement("button");
      button.style.cssText = `left:${left * 100}%;width:${width * 100}%;top:${depth * ROW_PX}px`;
      button.className = node < 0 ? "idle" : classes[data.layer[node]];
      // A line at its side would hide a box of a few pixels.
      if (width * flame.clientWidth < 4) button.classList.add("narrow");
      const matches = wanted && node >= 0 && name(node).toLowerCase().includes(wanted);
      if (wanted && !matches) button.classList.add("unmatched");
      button.textContent = width > 0.015 ? name(node) : "";
      button.setAttribute("aria-label", `${name(node)} ${count(total(node))} ${measure.value}`);
      button.onmouseenter = button.onfocus = () => describe(node);
      button.onclick = () => { zoomed = node; draw(); };
      made.append(button);
      deepest = Math.max(deepest, depth);
    }

    function place(node, left, width, depth, counted) {
      if (width < WIDTH_MIN) return;
      box(node, left, width, depth);
      const hit = wanted && !counted && node >= 0 && name(node).toLowerCase().includes(wanted);
      if (hit) found += total(node);
      const below = (node < 0 ? roots : children[node]).slice().sort((a, b) => totals[b] - totals[a] || a - b);
      let at = left;
      for (const child of below) {
        const part = total(node) ? (totals[child] / total(node)) * width : 0;
        place(child, at, part, depth + 1, counted || hit);
        at += part;
      }
    }

    const above = [];
    for (let at = zoomed; at >= 0; at = data.parent[at]) above.unshift(data.parent[at]);
    above.forEach((node, depth) => box(node, 0, 1, depth));
    place(zoomed, 0, 1, above.length, false);
    flame.replaceChildren(made);
    flame.style.height = `${(deepest + 1) * ROW_PX}px`;
    describe(zoomed);
    if (wanted) detail.textContent = `“${search.value.trim()}”: ${count(found)} ${measure.value} with all that they call.`;
  }

  measure.onchange = () => { addUp(); draw(); };
  search.oninput = draw;
  document.getElementById("flame-reset").onclick = () => { zoomed = -1; search.value = ""; draw(); };
  addUp();
  draw();
})();
