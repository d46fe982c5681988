// The base script of plugins: connects the page of a plugin with the editor that frames it.
(() => {
  window.Asc ??= {};
  window.Asc.plugin ??= {};
  const { plugin } = window.Asc;
  const calls = [];
  const post = (message) =>
    window.parent.postMessage(JSON.stringify({ guid: plugin.guid, ...message }), '*');

  plugin.tr = (text) => text;
  plugin.executeCommand = (type, data) => post({ type, data });
  plugin.executeMethod = (methodName, data, callback) => {
    if (calls.length > 0) return false;
    calls.push(callback);
    post({ type: 'method', methodName, data });
    return true;
  };

  const heard = {
    // The document server sends code here, which its own script evaluates: pages of plugins must allow that.
    plugin_init: ({ data }) => new Function(data)(),
    init({ data, type, ...info }) {
      plugin.info = info;
      plugin.onThemeChanged?.(info.theme);
      plugin.init(data);
    },
    updateOptions({ options }) {
      plugin.info.options = options;
      plugin.onUpdateOptions?.();
    },
    onMethodReturn({ methodReturnData }) {
      calls.shift()?.(methodReturnData);
    },
  };

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || typeof data !== 'string') return;
    const message = JSON.parse(data);
    if (message.guid === plugin.guid) heard[message.type]?.(message);
  });
  window.addEventListener('load', async () => {
    const config = await (await fetch('config.json')).json();
    plugin.guid = config.guid;
    post({ type: 'initialize', windowID: '' });
  });
})();
