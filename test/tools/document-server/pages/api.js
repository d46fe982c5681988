// The part of the document server's API for browsers that the stand-in has: it frames the editor and hands it its configuration.
(() => {
  const OWN_PATH = '/web-apps/apps/api/documents/api.js';
  const own = document.currentScript ?? document.querySelector(`script[src*="${OWN_PATH}"]`);
  const base = own.src.slice(0, own.src.indexOf(OWN_PATH));

  class DocEditor {
    #frame;
    #events;
    #config;

    constructor(placeholderId, config) {
      const { events = {}, ...plain } = config;
      this.#events = events;
      this.#config = JSON.parse(JSON.stringify(plain));
      this.#frame = document.createElement('iframe');
      this.#frame.src = `${base}/web-apps/apps/stand-in/editor.html`;
      this.#frame.name = 'frameEditor';
      this.#frame.title = 'Editor';
      this.#frame.style.cssText = 'width: 100%; height: 100%; border: 0';
      window.addEventListener('message', this.#hear);
      document.getElementById(placeholderId).replaceWith(this.#frame);
    }

    #hear = ({ source, origin, data }) => {
      if (source !== this.#frame.contentWindow || origin !== new URL(base).origin) return;
      if (data?.event === 'ready') {
        this.#frame.contentWindow.postMessage({ command: 'init', config: this.#config }, origin);
      } else this.#events[data?.event]?.({ target: this, data: data.data });
    };

    /** Leaves the document as closing the page does. */
    destroyEditor() {
      window.removeEventListener('message', this.#hear);
      this.#frame.remove();
    }
  }

  DocEditor.version = () => '9.0.4';
  window.DocsAPI = { DocEditor };
})();
