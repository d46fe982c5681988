/** How the panel reads fields from the API, with the token that the options of the plugin hold. */
window.mergeFieldReading = (optionsOf) => {
  const { window } = globalThis;
  const PAGE_SIZE = 200;

  /** Why a list could not be read: the name of a text. */
  class Refused extends Error {
    constructor(code) {
      super(code);
      this.code = code;
    }
  }

  const REASONS = { 401: 'expired', 403: 'forbidden', 404: 'gone', 429: 'busy' };

  async function read(path) {
    const { apiBaseUrl, accessToken } = optionsOf();
    const configured = window.document.querySelector('meta[name="api-base-url"]').content;
    const base = (apiBaseUrl || configured).replace(/\/+$/, '');
    if (!/^https?:\/\//i.test(base)) throw new Refused('noServer');
    let response;
    try {
      response = await window.fetch(base + path, {
        headers: {
          accept: 'application/json',
          ...(accessToken && { authorization: `Bearer ${accessToken}` }),
        },
        ...{ cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' },
      });
    } catch {
      throw new Refused('unreachable');
    }
    if (!response.ok) throw new Refused(REASONS[response.status] ?? 'failed');
    return await response.json().catch(() => {
      throw new Refused('failed');
    });
  }

  async function readFields() {
    const { templateId } = optionsOf();
    if (!templateId) return [];
    const { fields } = await read(
      `/api/v1/templates/${encodeURIComponent(templateId)}/merge-fields`,
    );
    return fields.map(({ name, label, sourceType }) => ({
      ...{ code: name, label: label || name, group: sourceType ?? 'NONE' },
    }));
  }

  async function readBuiltins() {
    const found = [];
    for (let page = 0, isLast = false; !isLast; page += 1) {
      const list = await read(`/api/v1/builtin-merge-fields?page=${page}&size=${PAGE_SIZE}`);
      found.push(...list.content);
      isLast = list.last !== false || list.content.length === 0;
    }
    return found.map(({ code, label }) => ({ code, label: label || code, group: 'BUILTIN' }));
  }

  return { fields: readFields, builtins: readBuiltins };
};
