"use strict";
// Draws tracks of stretches over time on a canvas. What is narrower than a pixel is merged, so that a million stretches move smoothly.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const tracks = data.tracks.map((track) => ({
    group: track.group,
    name: track.name,
    starts: new Float64Array(bytes(track.starts)),
    ends: new Float64Array(bytes(track.ends)),
    labels: new Uint32Array(bytes(track.labels)),
    kinds: new Uint32Array(bytes(track.kinds)),
  }));
  const texts = data.texts;
  const COLOURS = { user: "--c0", kernel: "--c1", interrupt: "--c3", call: "--c2", mark: "--c4", device: "--c6", text: "--c5" };
  const NAMES = 190, ROW = 22, HEAD = 26, GROUP = 22;
  const element = (id) => document.getElementById(id);
  const canvas = element("canvas"), context = canvas.getContext("2d");
  const first = Math.min(...tracks.map((track) => track.starts[0]), Infinity);
  const last = Math.max(...tracks.map((track) => track.ends[track.ends.length - 1]), -Infinity);
  const start = Number.isFinite(first) ? first : 0, end = Number.isFinite(last) && last > start ? last : start + 1;
  const view = { from: start, to: end };
  let chosen = null, measured = null, width = 0;

  for (const [kind, name] of Object.entries(COLOURS)) {
    if (!tracks.some((track) => track.kinds.includes(texts.indexOf(kind)))) continue;
    const entry = document.createElement("span");
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = `var(${name})`;
    entry.append(swatch, kind);
    document.getElementById("legend").append(entry);
  }

  const rows = [];
  let height = HEAD;
  tracks.forEach((track, index) => {
    if (index === 0 || tracks[index - 1].group !== track.group) {
      rows.push({ group: track.group, top: height });
      height += GROUP;
    }
    rows.push({ track, top: height });
    height += ROW;
  });

  // The first stretch that ends behind a time.
  const firstBehind = (track, time) => {
    let low = 0, high = track.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (track.ends[middle] >= time) high = middle; else low = middle + 1;
    }
    return low;
  };
  const place = (time) => NAMES + ((time - view.from) / (view.to - view.from)) * (width - NAMES);
  const timeAt = (x) => view.from + ((x - NAMES) / (width - NAMES)) * (view.to - view.from);
  const duration = (ns) => {
    const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
    const [unit, size] = units.find((one) => Math.abs(ns) >= one[1]) || units[3];
    return `${(ns / size).toLocaleString("en", { maximumFractionDigits: 3 })} ${unit}`;
  };
  const moment = (ns) => `${(ns / 1e3).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })} µs`;

  const drawTrack = (track, top, colour, ink) => {
    let merged = null;
    const fill = () => {
      if (!merged) return;
      context.fillStyle = colour(texts[merged.kind]);
      context.fillRect(merged.x, top + 2, Math.max(1, merged.end - merged.x), ROW - 4);
      merged = null;
    };
    for (let index = firstBehind(track, view.from); index < track.starts.length && track.starts[index] <= view.to; index++) {
      const x = Math.max(NAMES, place(track.starts[index])), x2 = Math.min(width, place(track.ends[index]));
      const kind = track.kinds[index];
      if (x2 - x < 1.5) {
        // Narrow ones of one pixel column are drawn once, in the colour of the longest.
        if (merged && x2 - merged.x < 1.5) {
          merged.end = Math.max(merged.end, x2);
          if (x2 - x > merged.longest) { merged.kind = kind; merged.longest = x2 - x; }
        } else {
          fill();
          merged = { x, end: x2, kind, longest: x2 - x };
        }
        continue;
      }
      fill();
      context.fillStyle = colour(texts[kind]);
      context.fillRect(x, top + 2, x2 - x - 0.5, ROW - 4);
      if (chosen && chosen.track === track && chosen.index === index) {
        context.strokeStyle = ink;
        context.lineWidth = 2;
        context.strokeRect(x + 1, top + 3, x2 - x - 2, ROW - 6);
      }
      if (x2 - x > 24) {
        context.save();
        context.beginPath();
        context.rect(x + 3, top, x2 - x - 6, ROW);
        context.clip();
        context.fillStyle = colour("on");
        context.fillText(texts[track.labels[index]], x + 4, top + ROW / 2);
        context.restore();
      }
    }
    fill();
  };

  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    const colour = (kind) => (kind === "on" ? value("--paper") : value(COLOURS[kind] || "--idle"));
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    canvas.style.height = `${height + 8}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round((height + 8) * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height + 8);
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    context.textBaseline = "middle";
    drawScale(value);
    for (const row of rows) {
      if (row.group !== undefined) {
        context.fillStyle = value("--panel");
        context.fillRect(0, row.top, width, GROUP);
        context.fillStyle = value("--quiet");
        context.fillText(row.group, 8, row.top + GROUP / 2);
        continue;
      }
      context.fillStyle = value("--ink");
      context.save();
      context.beginPath();
      context.rect(0, row.top, NAMES - 6, ROW);
      context.clip();
      context.fillText(row.track.name, 16, row.top + ROW / 2);
      context.restore();
      drawTrack(row.track, row.top, colour, value("--ink"));
    }
    if (measured) {
      const [a, b] = [place(measured.from), place(measured.to)].sort((one, other) => one - other);
      context.globalAlpha = 0.2;
      context.fillStyle = value("--accent");
      context.fillRect(a, HEAD, b - a, height - HEAD);
      context.globalAlpha = 1;
    }
    element("range").textContent = `${moment(view.from)} to ${moment(view.to)} (${duration(view.to - view.from)})`;
  };

  const drawScale = (value) => {
    const rough = (view.to - view.from) / Math.max(1, (width - NAMES) / 130);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
    context.fillStyle = value("--quiet");
    context.strokeStyle = value("--line");
    context.lineWidth = 1;
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = Math.round(place(time)) + 0.5;
      context.beginPath();
      context.moveTo(x, HEAD - 6);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(duration(time), x + 3, HEAD / 2);
    }
  };

  let asked = false;
  const redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
  const show = (from, to) => {
    const least = 0.05, wide = Math.min(Math.max(to - from, least), (end - start) * 1.1);
    const middle = (from + to) / 2;
    view.from = Math.max(start - wide * 0.05, Math.min(middle - wide / 2, end + wide * 0.05 - wide));
    view.to = view.from + wide;
    redraw();
  };
  const zoom = (factor, x) => {
    const at = timeAt(x === undefined ? (width + NAMES) / 2 : Math.max(x, NAMES));
    show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  };
  const move = (part) => show(view.from + (view.to - view.from) * part, view.to + (view.to - view.from) * part);

  const at = (x, y) => {
    const row = rows.find((one) => one.track && y >= one.top && y < one.top + ROW);
    if (!row || x < NAMES) return null;
    const near = ((view.to - view.from) / (width - NAMES)) * 3, time = timeAt(x);
    for (let index = firstBehind(row.track, time - near); index < row.track.starts.length; index++) {
      if (row.track.starts[index] > time + near) return null;
      return { track: row.track, index };
    }
    return null;
  };
  const tell = (found) => {
    if (!found) { element("detail").textContent = ""; return; }
    const { track, index } = found;
    const [from, to] = [track.starts[index], track.ends[index]];
    const long = to > from ? `, ${duration(to - from)} long` : "";
    element("detail").textContent =
      `${texts[track.labels[index]]}\n${track.group}, ${track.name}: ${texts[track.kinds[index]]}, at ${moment(from)}${long}`;
  };

  const find = () => {
    const wanted = element("find").value.toLowerCase();
    if (!wanted) return;
    const numbers = new Set(texts.flatMap((text, number) => (text.toLowerCase().includes(wanted) ? [number] : [])));
    const after = chosen ? chosen.track.starts[chosen.index] : -Infinity;
    let best = null, earliest = null;
    for (const track of tracks) {
      for (let index = 0; index < track.labels.length; index++) {
        if (!numbers.has(track.labels[index])) continue;
        const time = track.starts[index];
        if (time > after && (!best || time < best.track.starts[best.index])) best = { track, index };
        if (!earliest || time < earliest.track.starts[earliest.index]) earliest = { track, index };
      }
    }
    chosen = best || earliest;
    tell(chosen);
    if (!chosen) { element("detail").textContent = `nothing is called ${wanted}`; return; }
    const middle = chosen.track.starts[chosen.index], half = (view.to - view.from) / 2;
    show(middle - half, middle + half);
  };

  canvas.addEventListener("wheel", (event) => {
    if (event.shiftKey) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / width);
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX);
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.offsetX, moved: false, from: view.from, to: view.to };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (Math.abs(event.offsetX - held.x) > 2) held.moved = true;
    if (!held.moved) return;
    if (event.shiftKey) {
      measured = { from: timeAt(held.x), to: timeAt(event.offsetX) };
      element("detail").textContent = `measured: ${duration(Math.abs(measured.to - measured.from))}`;
      redraw();
      return;
    }
    const shift = ((held.x - event.offsetX) / (width - NAMES)) * (held.to - held.from);
    show(held.from + shift, held.to + shift);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) {
      chosen = at(event.offsetX, event.offsetY);
      measured = null;
      tell(chosen);
      redraw();
    }
    held = null;
  });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      w: () => zoom(0.7), s: () => zoom(1.4), a: () => move(-0.2), d: () => move(0.2),
      "+": () => zoom(0.7), "-": () => zoom(1.4), ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  element("all").addEventListener("click", () => show(start, end));
  element("in").addEventListener("click", () => zoom(0.5));
  element("out").addEventListener("click", () => zoom(2));
  element("next").addEventListener("click", find);
  element("find").addEventListener("change", () => { chosen = null; find(); });
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // What the page shows, for its tests.
  window.timeline = { view, at: (x, y) => { const found = at(x, y); return found && texts[found.track.labels[found.index]]; }, rows, place };
  draw();
})();
