// Frames of plugins beside the text, and the messages that they exchange with the editor.

/** Shows plugins. @param insert takes the text that a plugin pastes */
export async function showPlugins(place, { pluginsData = [], options = {} }, insert) {
  for (const address of pluginsData) {
    const answer = await fetch(address).catch(() => undefined);
    if (!answer?.ok) {
      place.append(`The plugin ${address} cannot be loaded.`);
      continue;
    }
    const config = await answer.json();
    const [variation] = config.variations;
    const frame = document.createElement('iframe');
    frame.title = config.name;
    frame.src = new URL(variation.url, address).href;
    window.addEventListener('message', ({ source, data }) => {
      if (source !== frame.contentWindow || typeof data !== 'string') return;
      void hear(JSON.parse(data), frame, { config, options: options[config.guid] ?? {}, insert });
    });
    place.append(frame);
  }
}

async function hear(message, frame, { config: { guid }, options, insert }) {
  const send = (answer) =>
    frame.contentWindow.postMessage(JSON.stringify({ guid, ...answer }), '*');
  if (message.guid !== guid) return;
  if (message.type === 'initialize') {
    send({ type: 'plugin_init', data: 'window.Asc.plugin.isConnected = true;' });
    const lang = options.locale ?? navigator.language;
    send({ type: 'init', data: '', lang, options, theme: { type: 'light', name: 'theme-light' } });
  }
  if (message.type === 'method') {
    if (message.methodName === 'PasteText') await insert(message.data[0]);
    send({ type: 'onMethodReturn', methodReturnData: null });
  }
  if (message.type === 'close') frame.remove();
}
