// Prices the sheet anew when an access time or a parameter changes. Formulas come as trees:
// a number, a parameter's name, or [operator, operands...]; nothing is run as code.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("sheet-data").textContent);
  const $ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // As Python has it: of the sign of the divisor.
  function remainder(a, b) {
    if (b === 0) throw new RangeError("division by zero");
    const rest = a % b;
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
  }

  const numbers = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b,
    "//": (a, b) => (a - remainder(a, b)) / b, "%": remainder,
    max: Math.max, min: Math.min,
    "==": (a, b) => +(a === b), "!=": (a, b) => +(a !== b), "<": (a, b) => +(a < b), "<=": (a, b) => +(a <= b),
    ">": (a, b) => +(a > b), ">=": (a, b) => +(a >= b),
  };

  function evaluate(tree, values) {
    if (typeof tree === "number") return tree;
    if (typeof tree === "string") return values[tree];
    const [operator, ...operands] = tree;
    switch (operator) {
      case "if": return evaluate(operands[evaluate(operands[0], values) ? 1 : 2], values);
      case "and": return +operands.every((operand) => evaluate(operand, values));
      case "or": return +operands.some((operand) => evaluate(operand, values));
      case "not": return +!evaluate(operands[0], values);
      case "negative": return -evaluate(operands[0], values);
      default: return operands.map((operand) => evaluate(operand, values)).reduce((a, b) => numbers[operator](a, b));
    }
  }

  function counted(tree, values) {
    const count = evaluate(tree, values);
    if (!(count >= 0)) throw new RangeError("a count is negative, or a parameter has no value");
    return count;
  }

  function timesNs() {
    const cycle = data.cycle < 0 ? 1 : data.entries[data.cycle].value;
    return data.entries.map((entry) => entry.value * (entry.inCycles ? cycle : 1));
  }

  // How often each access time counts in each part; it stays while only times change.
  function counts(path, values) {
    const key = path.names.map((name) => values[name]).join();
    if (!path.known || path.known.key !== key) {
      const parts = path.parts.map((part) => {
        const repetition = counted(part.repetition, values);
        const uses = new Map();
        for (const [entry, tree] of part.terms) {
          uses.set(entry, (uses.get(entry) || 0) + repetition * counted(tree, values));
        }
        return [...uses];
      });
      path.known = { key, parts };
    }
    return path.known.parts;
  }

  // The parts' prices, the longest run of parts that block, the share of each memory.
  function price(path, values, times) {
    const memories = {};
    const parts = counts(path, values).map((uses) => {
      let sum = 0;
      for (const [entry, number] of uses) {
        const ns = number * times[entry];
        const memory = data.entries[entry].memory;
        memories[memory] = (memories[memory] || 0) + ns;
        sum += ns;
      }
      return sum;
    });
    let longest = -1;
    for (const [kind, included] of Object.entries(data.included)) {
      if (!path.parts.some((part) => part.blocking === kind)) continue;
      let run = 0;
      path.parts.forEach((part, place) => {
        run = included.includes(part.blocking) ? run + parts[place] : 0;
        longest = Math.max(longest, run);
      });
    }
    return { parts, total: parts.reduce((a, b) => a + b, 0), longest, memories };
  }

  const format = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
  const shown = (ns) => format.format(ns);

  function put(cell, value, text) {
    cell.dataset.value = value;
    if (cell.textContent !== text) cell.textContent = text;
  }

  const byService = new Map();
  for (const section of $(".service")) byService.set(section.dataset.service, section);
  const lines = new Map($("#services tbody tr").map((line) => [`${line.dataset.service}\n${line.dataset.path}`, line]));
  const tables = new Map($("table.path").map((table) => [`${table.dataset.service}\n${table.dataset.path}`, table]));

  function parameters(service) {
    const inputs = $("input[data-parameter]", byService.get(service));
    return Object.fromEntries(inputs.map((input) => [input.dataset.parameter, parseInt(input.value, 10)]));
  }

  // Where a path's formulas were not verified for a value.
  function doubt(verified, value) {
    const inside = value >= verified.first && (verified.last === null || value <= verified.last);
    return inside && (value - verified.first) % verified.step === 0 ? "" : ` (verified for ${verified.shown})`;
  }

  function refresh() {
    const times = timesNs();
    for (const path of data.paths) {
      const values = parameters(path.service);
      const key = `${path.service}\n${path.path}`;
      const line = lines.get(key), table = tables.get(key);
      line.toggleAttribute("data-wrong", false);
      let found;
      try {
        found = price(path, values, times);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        line.toggleAttribute("data-wrong", true);
        line.title = error.message;
        found = { parts: path.parts.map(() => NaN), total: NaN, longest: -1, memories: {} };
      }
      const text = (ns) => (Number.isNaN(ns) ? "-" : shown(ns));
      const [most, ns] = Object.entries(found.memories).sort((a, b) => b[1] - a[1])[0] || ["", 0];
      put(line.querySelector(".total"), found.total, text(found.total));
      put(line.querySelector(".blocking"), found.longest, found.longest < 0 ? "-" : text(found.longest));
      put(line.querySelector(".most"), most, found.total > 0 ? `${most} ${((100 * ns) / found.total).toFixed(0)} %` : "-");
      const doubts = path.names.map((name) => doubt(path.verified[name], values[name]));
      put(line.querySelector(".with"), "", path.names.map((name, place) => `${name}=${values[name]}${doubts[place]}`).join(", "));
      line.toggleAttribute("data-doubtful", doubts.some((one) => one !== ""));
      const warning = table.querySelector(".doubt");
      warning.textContent = doubts.some((one) => one !== "") ? "Not verified for these values: the price may not hold." : "";
      $("td.part", table).forEach((cell, place) => put(cell, found.parts[place], text(found.parts[place])));
      put(table.querySelector(".sum"), found.total, text(found.total));
    }
    sorting.again(document.getElementById("services"));
  }

  for (const label of $("#times label[data-entry]")) {
    const [slider, exact] = $("input", label);
    const entry = data.entries[label.dataset.entry];
    const first = entry.value;
    const set = (value) => {
      if (!(value >= 0)) return;
      entry.value = value;
      if (value > slider.max) slider.max = value;
      slider.value = value;
      refresh();
    };
    slider.addEventListener("input", () => {
      exact.value = +(+slider.value).toPrecision(6);
      set(+exact.value);
    });
    exact.addEventListener("input", () => set(exact.value === "" ? NaN : +exact.value));
    label.addEventListener("reset-time", () => {
      exact.value = first;
      set(first);
    });
  }
  document.getElementById("reset").addEventListener("click", () =>
    $("#times label[data-entry]").forEach((label) => label.dispatchEvent(new Event("reset-time"))));

  for (const input of $("input[data-parameter]")) input.addEventListener("input", refresh);
  document.getElementById("all-parameters").addEventListener("change", (event) => {
    for (const input of $("input[data-parameter]")) {
      const value = input.getAttribute(event.target.value);
      if (value) input.value = value;
    }
    refresh();
  });
  document.getElementById("find").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const line of $("#services tbody tr")) line.hidden = !line.dataset.service.toLowerCase().includes(wanted);
  });

  // Paper has no buttons: what is folded is printed, too.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = $("details:not([open])");
    closed.forEach((one) => (one.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((one) => (one.open = false)));
  refresh();
})();
