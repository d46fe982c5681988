// The panel of merge fields in the editor. What comes from the API is shown as text, never as markup.
((window) => {
  const { document, mergeFieldTexts, mergeFieldReading } = window;
  const plugin = window.Asc?.plugin;
  const GROUPS = ['ENTITY', 'SYSTEM', 'COMPUTED', 'BUILTIN', 'NONE'];
  const INSERT_TIMEOUT_MS = 5000;
  const EDITABLE_AND_DELETABLE = 3;
  const INLINE = 2;
  const at = (id) => document.getElementById(id);

  let texts = mergeFieldTexts.en;
  /** Fields by the list that they came from. */
  let lists = { fields: [], builtins: [] };
  let round = 0;
  let isInserting = false;

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  const say = (text) => {
    at('status').textContent = text;
  };

  function chooseLanguage(locale) {
    texts = /^vi\b/i.test(locale ?? '') ? mergeFieldTexts.vi : mergeFieldTexts.en;
    document.documentElement.lang = texts === mergeFieldTexts.vi ? 'vi' : 'en';
    document.title = texts.title;
    for (const shown of document.querySelectorAll('[data-text]')) {
      shown.textContent = texts[shown.dataset.text];
    }
  }

  /** Without case and accents: `ho ten` finds `Họ tên`. */
  const folded = (text) =>
    text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd').toLowerCase();

  const READERS = mergeFieldReading(() => plugin.info?.options ?? {});

  /** Reads lists; one that fails is said where the others are shown. */
  async function load(names = Object.keys(READERS)) {
    round += 1;
    const mine = round;
    at('errors').replaceChildren();
    at('fields').setAttribute('aria-busy', 'true');
    say(texts.loading);
    const settled = await Promise.allSettled(names.map((name) => READERS[name]()));
    if (mine !== round) return;
    const failed = [];
    for (const [index, name] of names.entries()) {
      const { status, value, reason } = settled[index];
      if (status === 'fulfilled') lists = { ...lists, [name]: value };
      else failed.push([name, reason.code ?? 'failed']);
    }
    at('fields').removeAttribute('aria-busy');
    showErrors(failed);
    show();
  }

  function showErrors(failed) {
    if (failed.length === 0) return;
    const box = element('div', '', { role: 'alert' });
    box.append(...failed.map(([name, reason]) => element('p', `${texts[name]}: ${texts[reason]}`)));
    const again = element('button', texts.retry, { type: 'button' });
    again.addEventListener('click', () => load(failed.map(([name]) => name)));
    box.append(again);
    at('errors').replaceChildren(box);
  }

  /** A builtin that the template declares is shown once. */
  function allFields() {
    const known = new Set(lists.fields.map(({ code }) => code.toLowerCase()));
    return [
      ...lists.fields,
      ...lists.builtins.filter(({ code }) => !known.has(code.toLowerCase())),
    ];
  }

  function show() {
    const all = allFields();
    const wanted = folded(at('search').value.trim());
    const shown = all.filter(({ code, label }) => folded(`${label} ${code}`).includes(wanted));
    at('fields').replaceChildren(
      ...GROUPS.flatMap((group) => {
        const fields = shown.filter((field) => field.group === group);
        return fields.length > 0 ? [section(group, fields)] : [];
      }),
    );
    if (shown.length > 0) say(texts.found.replace('{count}', () => String(shown.length)));
    else if (all.length > 0) say(texts.notFound);
    else say(at('errors').childElementCount > 0 ? '' : texts.nothing);
  }

  function section(group, fields) {
    const made = element('section', '', { 'data-group': group });
    const list = element('ul', '');
    list.append(
      ...fields.map((field) => {
        const button = element('button', '', { type: 'button', 'data-code': field.code });
        button.append(element('span', field.label), element('code', marker(field)));
        button.addEventListener('click', () => insert(field));
        const item = element('li', '');
        item.append(button);
        return item;
      }),
    );
    made.append(element('h2', texts.groups[group]), list);
    return made;
  }

  const marker = ({ code }) => `{{${code}}}`;

  /** Calls a method of the editor; answers come by a callback, or never. */
  const execute = (name, parameters) =>
    new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => reject(new Error(name)), INSERT_TIMEOUT_MS);
      const isTaken = plugin.executeMethod(name, parameters, (result) => {
        window.clearTimeout(timer);
        resolve(result);
      });
      if (isTaken !== false) return;
      window.clearTimeout(timer);
      reject(new Error(name));
    });

  async function insert(field) {
    if (isInserting) return;
    isInserting = true;
    try {
      if (document.querySelector('input[name="form"]:checked').value === 'control') {
        const control = { Tag: `merge:${field.code}`, Alias: field.label };
        const more = { Lock: EDITABLE_AND_DELETABLE, PlaceHolderText: marker(field) };
        await execute('AddContentControl', [INLINE, { ...control, ...more }]);
      }
      await execute('PasteText', [marker(field)]);
      say(texts.inserted.replace('{field}', () => field.label));
    } catch {
      say(texts.notInserted);
    } finally {
      isInserting = false;
    }
  }

  at('search').addEventListener('input', show);
  chooseLanguage(window.navigator.language);
  if (!plugin) {
    at('fields').removeAttribute('aria-busy');
    at('errors').replaceChildren(element('p', texts.noEditor, { role: 'alert' }));
    return;
  }
  const start = () => {
    chooseLanguage(plugin.info?.options?.locale ?? plugin.info?.lang ?? window.navigator.language);
    return load();
  };
  plugin.init = start;
  plugin.onUpdateOptions = start;
  plugin.button = () => plugin.executeCommand('close', '');
  plugin.onThemeChanged = (theme) => {
    plugin.onThemeChangedBase?.(theme);
    const isDark = /dark|night|contrast-dark/i.test(`${theme?.type ?? ''} ${theme?.name ?? ''}`);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
})(window);
