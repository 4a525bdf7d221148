// Hands the data of a report to uPlot. Numbers that people read come from the
// table behind each chart, so that a chart and its table say the same.
(function () {
  "use strict";
  const charts = JSON.parse(document.getElementById("charts-data").textContent);
  const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const drawn = [];

  function element(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  function digits(v) { return String(Number(v.toPrecision(3))); }

  function latency(ms) {
    if (ms === null) return "";
    if (ms >= 1000) return digits(ms / 1000) + " s";
    if (ms >= 1 || ms === 0) return digits(ms) + " ms";
    return digits(ms * 1000) + " µs";
  }

  // percentile names a place on the logarithmic axis: 0 is 0 %, 1 is 90 %.
  function percentile(x) {
    return Number((100 * (1 - Math.pow(10, -x))).toFixed(Math.max(0, Math.ceil(x) - 2 + (x % 1 ? 2 : 0)))) + " %";
  }

  function moment(c, s) {
    if (c.start) return new Date(c.start + 1000 * s).toISOString().slice(11, 19);
    return digits(s) + " s";
  }

  // soft is a colour that lets others through.
  function soft(name, alpha) {
    return () => {
      const c = colour(name)();
      return /^#[0-9a-f]{6}$/i.test(c) ? c + alpha : c;
    };
  }

  // Steps of an axis that counts.
  const whole = [];
  for (let e = 1; e < 1e15; e *= 10) whole.push(e, 2 * e, 5 * e);

  // write puts words on a chart, readable on whatever lies below.
  function write(ctx, text, x, y) {
    ctx.save();
    ctx.strokeStyle = colour("paper")();
    ctx.lineWidth = 4 * (devicePixelRatio || 1);
    ctx.lineJoin = "round";
    ctx.strokeText(text, x, y);
    ctx.restore();
    ctx.fillText(text, x, y);
  }

  const base = (label) => ({ stroke: colour("quiet"), grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1, size: 4 }, label: label, labelSize: label ? 18 : 0, labelGap: 0, labelFont: "12px system-ui, sans-serif", font: "12px system-ui, sans-serif" });

  function xAxis(c) {
    switch (c.kind) {
      case "spectrum":
        return Object.assign(base("percentile, logarithmic towards 100 %"), {
          size: 32,
          splits: (u, i, min, max) => {
            const out = [];
            const fine = (max - min) <= 5 && u.width > 500;
            for (let k = 0; k <= Math.floor(max + 1e-9); k++) {
              out.push(k);
              if (fine && k === 0) out.push(-Math.log10(0.5));
              if (fine && k > 0 && k + 0.4 < max) out.push(k - Math.log10(0.5));
            }
            return out;
          },
          values: (u, splits) => splits.map(percentile),
        });
      case "histogram":
      case "sweep":
        return Object.assign(base(tableOf(c).head[0]), { size: 32, splits: () => everySo(c.names.length), values: (u, splits) => splits.map((k) => c.names[k] || ""), grid: { show: false } });
      default:
        return Object.assign(base(c.start ? "time, UTC" : "since the first request"), { size: 32, values: (u, splits) => splits.map((s) => moment(c, s)) });
    }
  }

  // everySo names at most a dozen places.
  function everySo(n) {
    const step = Math.max(1, Math.ceil(n / 12)), out = [];
    for (let k = 0; k < n; k += step) out.push(k);
    return out;
  }

  const tables = {};
  function tableOf(c) {
    if (!tables[c.id]) {
      const t = document.getElementById(c.id + "-table");
      const cells = (tr) => Array.from(tr.cells, (x) => x.textContent);
      tables[c.id] = { head: cells(t.tHead.rows[0]), rows: Array.from(t.tBodies[0].rows, cells) };
    }
    return tables[c.id];
  }

  // A limit is a dashed line with its name; where it holds for one percentile, a dot.
  function drawLimits(c) {
    return (u) => {
      const ctx = u.ctx, b = u.bbox, r = devicePixelRatio || 1;
      ctx.save();
      ctx.beginPath();
      ctx.rect(b.left, b.top, b.width, b.height);
      ctx.clip();
      ctx.font = 12 * r + "px system-ui, sans-serif";
      for (const l of c.limits || []) {
        const y = u.valToPos(l.y, "y", true);
        ctx.strokeStyle = ctx.fillStyle = colour("limit")();
        ctx.lineWidth = 1.5 * r;
        ctx.setLineDash([6 * r, 4 * r]);
        ctx.beginPath();
        ctx.moveTo(b.left, y);
        ctx.lineTo(b.left + b.width, y);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.textAlign = "left";
        write(ctx, l.name, b.left + 6 * r, y - 5 * r);
        if (l.x !== undefined) {
          ctx.beginPath();
          ctx.arc(u.valToPos(l.x, "x", true), y, 4.5 * r, 0, 2 * Math.PI);
          ctx.fill();
        }
      }
      if (c.kind === "spectrum" || c.kind === "sweep") {
        for (const m of c.marks || []) {
          const x = u.valToPos(m.from, "x", true);
          ctx.strokeStyle = ctx.fillStyle = colour("quiet")();
          ctx.lineWidth = r;
          ctx.setLineDash([2 * r, 3 * r]);
          ctx.beginPath();
          ctx.moveTo(x, b.top);
          ctx.lineTo(x, b.top + b.height);
          ctx.stroke();
          ctx.setLineDash([]);
          const right = x > b.left + b.width * 0.65;
          ctx.textAlign = right ? "right" : "left";
          const line = 15 * c.marks.indexOf(m) + 8;
          write(ctx, m.name, x + (right ? -5 : 5) * r, right ? b.top + (line + 6) * r : b.top + b.height - line * r);
        }
      }
      ctx.restore();
    };
  }

  // Marked stretches of time lie behind everything.
  function drawIntervals(c) {
    return (u) => {
      if (c.kind !== "timeline") return;
      const ctx = u.ctx, b = u.bbox;
      ctx.save();
      ctx.beginPath();
      ctx.rect(b.left, b.top, b.width, b.height);
      ctx.clip();
      ctx.fillStyle = colour("mark")();
      for (const m of c.marks || []) {
        const from = u.valToPos(m.from, "x", true), to = u.valToPos(m.to, "x", true);
        ctx.fillRect(from, b.top, Math.max(to - from, 2), b.height);
      }
      ctx.restore();
    };
  }

  // What uPlot is given: the columns, and how each is drawn.
  function columns(c, log) {
    const keep = (list) => list.map((v) => (v === null || (log && v <= 0) ? null : v));
    const data = [c.x], series = [{}], bands = [];
    c.series.forEach((s, i) => {
      const line = { stroke: colour(s.role), width: s.role === "measured" ? 2 : 2.5, points: { show: !!s.dots, size: 7, fill: colour(s.role) }, spanGaps: true };
      if (c.kind === "histogram") {
        Object.assign(line, { paths: uPlot.paths.bars({ size: [0.7, 60] }), fill: soft(s.role, "b0"), width: 1, points: { show: false }, spanGaps: false });
      } else if (c.kind === "timeline") {
        Object.assign(line, { width: 1.5, spanGaps: false, points: { show: c.x.length > 60, size: 5, fill: colour(s.role), width: 1 }, paths: uPlot.paths.bars({ size: [i ? 0.5 : 0.9, 40], align: 1 }), fill: soft(s.role, i ? "90" : "50") });
      }
      data.push(keep(s.y));
      series.push(line);
      if (s.high) {
        series.push(Object.assign({}, line, { dash: [5, 4] }));
        data.push(keep(s.high));
        bands.push({ series: [series.length - 1, series.length - 2], fill: soft(s.role, "30") });
      }
    });
    return { data, series, bands };
  }

  function yRange(c, log) {
    return (u, min, max) => {
      for (const l of c.limits || []) {
        max = Math.max(max, l.y);
        min = Math.min(min, l.y);
      }
      if (log) return uPlot.rangeLog(min > 0 ? min : max / 1e3 || 1, max > 0 ? max : 1, 10, false);
      return [0, max > 0 ? max * 1.06 : 1];
    };
  }

  function xRange(c) {
    return (u, min, max) => {
      if (c.kind === "spectrum") return [0, Math.max(max * 1.02, 1)];
      if (c.kind === "histogram" || c.kind === "sweep") return [-0.6, c.names.length - 0.4];
      const end = Math.max(max + (c.width || 0), (c.marks || []).reduce((m, x) => Math.max(m, x.to), 0));
      return [Math.min(min, 0), end > min ? end : min + 1];
    };
  }

  function plotsOf(c, log) {
    const main = columns(c, log);
    const counted = c.kind === "histogram" || c.plain;
    const plots = [{ ...main, y: Object.assign(base(c.of ? c.of : counted ? tableOf(c).head[1] : c.kind === "timeline" ? "slowest request" : "latency"), c.plain ? { size: 62 } : counted ? { size: 62, incrs: whole } : { size: 62, values: (u, splits) => splits.map(latency) }), log: log, x: xAxis(c) }];
    if (c.kind === "timeline" && c.series.some((s) => s.count.some((v) => v !== null))) {
      const counts = { id: c.id, kind: "timeline", x: c.x, width: c.width, start: c.start, marks: c.marks, series: c.series.map((s) => ({ role: s.role, y: s.count })) };
      plots[0].x = Object.assign({}, plots[0].x, { label: undefined, labelSize: 0, values: () => [], size: 8 });
      const lower = columns(counts, false);
      lower.series.forEach((s, i) => { if (i) s.points = { show: false }; });
      plots.push({ ...lower, y: Object.assign(base("requests"), { size: 62, incrs: whole }), log: false, x: xAxis(c), short: true });
    }
    return plots;
  }

  function draw(c) {
    const host = document.getElementById(c.id);
    if (!host || !c.x.length) return;
    const state = { log: c.log, plots: [] };
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", host.dataset.label + ". Arrow keys read the numbers; the table below has all of them.");
    const tip = element("div", "tip");
    tip.setAttribute("role", "status");
    tip.hidden = true;
    const area = element("div");

    if (c.kind !== "histogram") {
      const latencies = c.plain ? "" : "latency ";
      const label = element("label", "scale");
      const box = element("input");
      box.type = "checkbox";
      box.checked = c.log;
      label.append(box, " logarithmic " + latencies + "axis");
      box.addEventListener("change", () => { state.log = box.checked; build(); });
      host.before(label);
    }

    function show(u, index) {
      const table = tableOf(c), row = table.rows[index];
      if (!row) { tip.hidden = true; return; }
      tip.replaceChildren(element("p", "", c.kind === "timeline" ? "from " + row[0] : table.head[0] + " " + row[0]));
      tip.firstChild.style.fontWeight = "600";
      for (let k = 1; k < row.length; k++) {
        if (row[k] !== "–") tip.append(element("p", "", table.head[k] + ": " + row[k]));
      }
      tip.hidden = false;
      const left = u.over.offsetLeft + u.valToPos(c.x[index], "x");
      const flip = left > host.clientWidth / 2;
      tip.style.left = flip ? "auto" : left + 14 + "px";
      tip.style.right = flip ? host.clientWidth - left + 14 + "px" : "auto";
      tip.style.top = u.over.offsetTop + 10 + "px";
    }

    const height = (width, short) => (short ? 130 : c.kind === "histogram" ? 210 : width < 500 ? 260 : 330);

    function build() {
      state.plots.forEach((u) => u.destroy());
      const key = uPlot.sync(c.id);
      state.plots = plotsOf(c, state.log).map((p) => {
        const opts = {
          width: Math.max(host.clientWidth, 120), height: height(host.clientWidth, p.short),
          padding: [12, c.start ? 30 : 14, 0, 0],
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, y: false, sync: { key: key.key }, points: { size: 9 } },
          scales: { x: { time: false, range: xRange(c) }, y: { distr: p.log ? 3 : 1, range: p.short ? yRange({}, false) : yRange(c, p.log) } },
          axes: [p.x, p.y],
          series: p.series, bands: p.bands,
          hooks: { drawClear: [drawIntervals(c)], draw: p.short ? [] : [drawLimits(c)], setCursor: [(u) => { if (u === state.plots[0]) { if (u.cursor.idx === null || u.cursor.idx === undefined || u.cursor.left < 0) tip.hidden = true; else show(u, u.cursor.idx); } }] },
        };
        return new uPlot(opts, p.data, area);
      });
    }

    host.addEventListener("keydown", (e) => {
      const u = state.plots[0];
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -c.x.length, End: c.x.length }[e.key];
      if (e.key === "Escape") { u.setCursor({ left: -10, top: -10 }); return; }
      if (!step || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      const now = u.cursor.left >= 0 && u.cursor.idx !== null ? u.cursor.idx : step > 0 ? -1 : c.x.length;
      const next = Math.min(Math.max(now + step, 0), c.x.length - 1);
      u.setCursor({ left: u.valToPos(c.x[next], "x"), top: 20 });
    });
    host.addEventListener("blur", () => { tip.hidden = true; });

    host.append(area, tip);
    build();
    drawn.push({
      size: (width) => state.plots.forEach((u, i) => u.setSize({ width: Math.max(width || host.clientWidth, 120), height: height(width || host.clientWidth, i > 0) })),
      redraw: () => state.plots.forEach((u) => u.redraw(false, true)),
    });
    let width = host.clientWidth;
    new ResizeObserver(() => {
      if (host.clientWidth === width || !host.clientWidth) return;
      width = host.clientWidth;
      drawn.forEach((d) => d.size());
    }).observe(host);
  }

  charts.forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach((d) => d.redraw()));

  // On paper: light, everything open but long tables, charts as wide as a page.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = Array.from(document.querySelectorAll("details:not([open]):not(.long)"));
    closed.forEach((d) => { d.open = true; });
    document.documentElement.classList.add("print");
    drawn.forEach((d) => { d.size(640); d.redraw(); });
  });
  addEventListener("afterprint", () => {
    closed.forEach((d) => { d.open = false; });
    document.documentElement.classList.remove("print");
    drawn.forEach((d) => { d.size(); d.redraw(); });
  });
})();
