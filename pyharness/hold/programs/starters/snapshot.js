// Chandy and Lamport's snapshot, for `pyharness hold -- node snapshot.js`.
// A pure program: the state comes in with each event, and goes out with the answer.
// BUG=late-turn records one marker late; BUG=history forgets to record after two messages.

const bug = process.env.BUG;

// -- the algorithm: each function changes a state `p`, and returns what goes out --------------------------------

function begin({ inputs, outputs, initiator, items }) {
  return { inputs, outputs, initiator, items, recorded: null, channels: {}, closed: [], seen: 0 };
}

function record(p) {
  p.recorded = [...p.items];
  return p.outputs.map((dest) => ({ dest, body: { type: "marker" } }));
}

const handlers = {
  send(p, { to, msg }) {
    p.items = p.items.filter((item) => item !== msg);
    return [{ dest: to, body: { type: "message", msg } }];
  },
  message(p, { msg }, src) {
    p.items.push(msg);
    if (bug === "history" && p.recorded === null) p.seen = Math.min(p.seen + 1, 2);
    if (p.recorded !== null && !p.closed.includes(src) && p.seen < 2)
      p.channels[src] = [...(p.channels[src] ?? []), msg];
    return [];
  },
  marker(p, _, src) {
    const late = bug === "late-turn" && p.closed.length === 0;
    p.closed.push(src);
    return p.recorded === null && !late ? record(p) : [];
  },
  initiate: (p) => (p.initiator && p.recorded === null ? record(p) : null), // null: refused
};

const complete = (p) => p.recorded !== null && p.closed.length === p.inputs.length;

// -- the glue: lines in, lines out ------------------------------------------------------------------------------

let me;

function answer({ src, body }) {
  const reply = (type, fields) =>
    console.log(JSON.stringify({ src: me, dest: src, body: { type, in_reply_to: body.msg_id, ...fields } }));
  if (body.type === "init") {
    me = body.node_id;
    reply("init_ok");
  } else if (body.type === "reset") {
    reply("reset_ok", { version: 1, state: begin(body) });
  } else if (body.type === "step") {
    const state = body.state, event = body.event;
    const sent = handlers[event.body.type](state, event.body, event.src);
    if (sent === null) return reply("error", { code: 22, text: "not now" });
    [state.items, state.closed].forEach((list) => list.sort());
    const { items, recorded, channels } = state;
    reply("step_ok", { state, sent, shows: { items, recorded, channels, complete: complete(state) } });
  }
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
