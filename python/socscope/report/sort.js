// Sorts tables of class "sortable" when the button in a heading is pressed: numbers by data-value, else by text.
"use strict";
const sorting = (() => {
  const opposite = { ascending: "descending", descending: "ascending" };

  // Sorts a table once more as its heading says, after its values have changed.
  function again(table) {
    const head = table.querySelector("th[aria-sort]");
    if (!head) return;
    const place = [...head.parentNode.children].indexOf(head);
    const sign = head.getAttribute("aria-sort") === "ascending" ? 1 : -1;
    const key = (line) => {
      const cell = line.children[place];
      if (!head.classList.contains("number")) return cell.textContent.trim().toLowerCase();
      const value = parseFloat(cell.dataset.value);
      return Number.isNaN(value) ? -Infinity : value;
    };
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((line, number) => [key(line), number, line]);
    keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
    body.append(...keyed.map((one) => one[2]));
  }

  for (const button of document.querySelectorAll("table.sortable th button")) {
    button.addEventListener("click", () => {
      const [head, table] = [button.closest("th"), button.closest("table")];
      const first = head.classList.contains("number") ? "descending" : "ascending";
      const next = opposite[head.getAttribute("aria-sort")] || first;
      for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      again(table);
    });
  }
  return { again };
})();
