'use strict';
// Everything from the run is put in as text, never as markup.
const KEY = 'overnight-desk-key';
const state = { once: '', sheet: null, at: -1, only: null, comments: [], form: null, timer: 0 };

const $ = (id) => document.getElementById(id);
const make = (name, text, className) => {
  const one = document.createElement(name);
  if (text !== undefined) one.textContent = text;
  if (className) one.className = className;
  return one;
};
const note = (text, tone) => { $('note').textContent = text; $('note').className = tone || ''; };

async function ask(path, options = {}) {
  const headers = { 'X-Desk-Key': sessionStorage.getItem(KEY) || '', ...(options.headers || {}) };
  const answer = await fetch(path, { ...options, headers, credentials: 'same-origin', cache: 'no-store' });
  const body = await answer.json().catch(() => ({}));
  if (body.once) state.once = body.once;
  if (!answer.ok) throw Object.assign(new Error(body.error || `status ${answer.status}`), { status: answer.status });
  return body;
}

async function enter() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, '', '/');
  const body = await ask('/session', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  sessionStorage.setItem(KEY, body.key);
}

async function load() {
  clearTimeout(state.timer);
  state.sheet = await ask('/desk');
  const { waiting, said } = state.sheet;
  if (waiting) note(`${waiting}: confirm it in the terminal that shows this desk`, 'waits');
  else if (said) note(said);
  else if ($('note').textContent === 'Loading…') note('');
  draw();
  if (waiting) state.timer = setTimeout(() => guard(load), 1000);
}

async function wish(wished, hunks = []) {
  const body = JSON.stringify({ once: state.once, hunks, wish: wished });
  let done;
  try {
    done = await ask('/wish', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  } catch (error) {
    if (error.status === 401) throw error;
    note(error.message, 'bad');
    await load();
    note(error.message, 'bad');
    return false;
  }
  await load();
  if (done.note && !state.sheet.waiting) note(done.note);
  return true;
}

function guard(work) {
  work().catch((error) => {
    const gone = error instanceof TypeError;
    note(gone ? 'The desk is closed: begin anew with overnight review --web' : error.message, 'bad');
  });
}

function button(text, id, act) {
  const one = make('button', text);
  one.type = 'button';
  one.dataset.id = id;
  one.addEventListener('click', () => guard(async () => act()));
  return one;
}

function keys(...buttons) {
  const row = make('div', undefined, 'keys');
  row.append(...buttons.filter(Boolean));
  return row;
}

/** A place to type, below its item. */
function form(id, label, send) {
  const area = make('textarea');
  area.id = 'typed';
  area.maxLength = 1000;
  area.setAttribute('aria-label', label);
  area.placeholder = label;
  area.value = state.form && state.form.text || '';
  area.addEventListener('input', () => { if (state.form) state.form.text = area.value; });
  const box = make('div');
  box.append(area, keys(
    button('Send', `${id}-send`, async () => { if (await send(area.value) !== false) { state.form = null; draw(); } }),
    button('Leave it', `${id}-leave`, () => { state.form = null; draw(); }),
  ));
  return box;
}

const opens = (id) => () => { state.form = { id, text: '' }; draw(); const typed = $('typed'); if (typed) typed.focus(); };
const isOpen = (id) => state.form && state.form.id === id;

function work(task, id) {
  const buttons = keys(
    button('Hunks', `${id}-hunks`, () => open(task)),
    button('Send back', `${id}-back`, opens(`${id}-back`)),
    button('Take out', `${id}-out`, opens(`${id}-out`)),
  );
  const box = make('div');
  box.append(buttons);
  if (isOpen(`${id}-back`)) box.append(form(id, `What is to be done better in ${task}?`, (text) => back(task, text)));
  if (isOpen(`${id}-out`)) {
    box.append(make('p', `A commit takes out what ${task} changed; what was there before is kept.`), keys(
      button('Take it out', `${id}-sure`, async () => { state.form = null; await wish({ do: 'take_out', task }); }),
      button('Leave it', `${id}-leave`, () => { state.form = null; draw(); }),
    ));
  }
  return box;
}

async function back(task, text) {
  const own = state.comments.filter((one) => one.task === task);
  const comments = own.map((one) => one.text).concat(text.trim() ? [text] : []);
  if (!await wish({ do: 'send_back', task, comments }, own.map((one) => one.key))) return false;
  state.comments = state.comments.filter((one) => one.task !== task);
  return true;
}

function need(item, id) {
  const one = make('li', undefined, 'need');
  one.append(make('p', item.what));
  if (item.lines.length) one.append(make('pre', item.lines.join('\n')));
  if (item.ask) {
    one.append(keys(
      button('Approve once', `${id}-yes`, () => wish({ do: 'question', ask: item.ask, approve: true })),
      button('Deny', `${id}-no`, () => wish({ do: 'question', ask: item.ask, approve: false })),
    ));
  } else if (item.task) {
    one.append(keys(button('Answer', `${id}-answer`, opens(id))));
    if (isOpen(id)) one.append(form(id, `Your answer for ${item.task}`, (text) => wish({ do: 'answer', task: item.task, text })));
  }
  return one;
}

function comment(item, id) {
  const one = make('li', undefined, 'need');
  one.append(make('p', item.what));
  if (item.task) {
    one.append(keys(button(`Send ${item.task} back with it`, `${id}-back`, () => { state.form = { id, text: item.what }; draw(); $('typed').focus(); })));
    if (isOpen(id)) one.append(form(id, `What is to be done better in ${item.task}?`, (text) => back(item.task, text)));
  }
  return one;
}

function task(item, id) {
  const one = make('li', undefined, item.done ? 'done' : 'open');
  one.append(make('p', item.lines[0].trim()));
  if (item.lines.length > 1) one.append(make('pre', item.lines.slice(1).map((line) => line.trim()).join('\n')));
  one.append(work(item.task, id));
  return one;
}

function draw() {
  const focused = document.activeElement && document.activeElement.dataset.id;
  const { sheet } = state;
  // The link below says where it is.
  const head = sheet.head.map((line) => make('p', line.replace(` · pull request ${sheet.pull_request}`, '')));
  if (sheet.pull_request && /^https:\/\//.test(sheet.pull_request)) {
    const link = make('a', sheet.pull_request);
    link.href = sheet.pull_request;
    link.rel = 'noreferrer noopener';
    link.target = '_blank';
    const line = make('p', 'Pull request: ');
    line.append(link);
    head.push(line);
  }
  $('head').replaceChildren(...head);
  $('goal').textContent = sheet.goal || 'The desk';
  document.title = `${sheet.goal}: ${sheet.head[0]}`;
  const parts = [['Needs you', (item) => item.kind === 'need', need], ['On the pull request', (item) => item.kind === 'comment', comment], ['Not done', (item) => item.kind === 'task' && !item.done, task], ['Done', (item) => item.kind === 'task' && item.done, task]];
  const desk = [];
  for (const [title, belongs, drawn] of parts) {
    const items = sheet.items.filter(belongs);
    if (!items.length) continue;
    const list = make('ul');
    list.append(...items.map((item, at) => drawn(item, `${title.replaceAll(' ', '-')}-${at}`)));
    desk.push(make('h2', `${title}: ${items.length}`), list);
  }
  const unread = sheet.hunks.filter((hunk) => !hunk.read).length;
  const read = sheet.hunks.length ? `${unread} of ${sheet.hunks.length} hunks are not read` : 'no commit changed anything';
  desk.push(make('h2', `The change: ${read}`), keys(
    sheet.hunks.length ? button('Read the change', 'all', () => open(null)) : null,
    sheet.pull_request ? button('Fetch its comments', 'fetch', () => wish({ do: 'fetch' })) : null,
    sheet.pull_request ? button('Open it for review', 'ready', () => wish({ do: 'ready' })) : null,
  ));
  $('desk').replaceChildren(...desk);
  if (state.at >= 0) guard(hunk);
  const again = focused && document.querySelector(`[data-id="${CSS.escape(focused)}"]`);
  if (again) again.focus();
}

const shown = () => state.sheet.hunks.filter((one) => state.only === null || one.tasks.includes(state.only));

function open(only) {
  state.only = only;
  const all = shown();
  if (!all.length) { note('it changed nothing that is there'); return; }
  const unread = all.findIndex((one) => !one.read);
  state.at = Math.max(unread, 0);
  draw();
  $('change').focus();
}

async function hunk() {
  const all = shown();
  if (!all.length) { $('change').replaceChildren(); state.at = -1; return; }
  state.at = Math.min(state.at, all.length - 1);
  const { key } = all[state.at];
  const whole = await ask(`/hunk/${key}`);
  const about = whole.tasks[whole.tasks.length - 1];
  const text = make('pre');
  whole.lines.forEach((line, at) => {
    const tone = at === 0 ? 'head' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
    text.append(make('span', line || ' ', tone));
  });
  const comments = state.comments.filter((one) => one.key === key).map((one) => make('p', `kept: ${one.text}`, 'soft'));
  const go = (by) => () => { state.at = (state.at + by + all.length) % all.length; draw(); };
  const row = keys(
    button(whole.read ? 'Read' : 'Mark as read (a)', 'read', read),
    button('Previous (p)', 'previous', go(-1)),
    button('Next (n)', 'next', go(1)),
    about ? button('Comment (c)', 'comment', opens('comment')) : null,
    about ? button(`Send ${about} back`, 'hunk-back', opens('hunk-back')) : null,
  );
  const title = make('h2', `${whole.file} (${state.at + 1} of ${all.length}${state.only ? ` of ${state.only}` : ''})`);
  const focused = document.activeElement && document.activeElement.dataset.id;
  $('change').replaceChildren(title, make('p', whole.standing, 'soft'), row, text, ...comments);
  if (isOpen('comment')) $('change').append(form('comment', `A comment on ${whole.file}`, async (typed) => { if (!typed.trim()) return false; state.comments.push({ key, task: about, text: `${whole.file}: ${typed.trim()}` }); note('kept: it goes back with its task'); return true; }));
  if (isOpen('hunk-back')) $('change').append(form('hunk-back', `What is to be done better in ${about}?`, (typed) => back(about, typed)));
  const again = focused && document.querySelector(`[data-id="${CSS.escape(focused)}"]`);
  if (again) again.focus();
  const typed = $('typed');
  if (typed && isOpen('comment')) typed.focus();
}

async function read() {
  const all = shown();
  const { key } = all[state.at];
  const next = all.findIndex((one, at) => at > state.at && !one.read);
  const first = all.findIndex((one) => !one.read && one.key !== key);
  state.at = next >= 0 ? next : first >= 0 ? first : state.at;
  await wish({ do: 'read' }, [key]);
  if (!state.sheet.hunks.some((one) => !one.read)) note('all is read');
}

document.addEventListener('keydown', (event) => {
  if (state.at < 0 || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('textarea')) return;
  const id = { a: 'read', n: 'next', p: 'previous', c: 'comment' }[event.key];
  const one = id && document.querySelector(`#change [data-id="${id}"]`);
  if (one) { event.preventDefault(); one.click(); }
});

guard(async () => { await enter(); await load(); });
