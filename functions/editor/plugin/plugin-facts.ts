/** Id of the merge-field plugin, as its `config.json` has it. */
export const PLUGIN_GUID = 'asc.{6B0F2C1E-9D3A-4C57-8E24-3F5A7C9D1B60}';

/** Where the files of the plugin are served. */
export const PLUGIN_PATH = '/api/v1/docs/plugins/merge-field';

/** What an editor's configuration says of the plugin. */
export interface PluginFacts {
  /** Address of the API as browsers see it, without a slash at its end. */
  readonly publicBase: string;
  /** Token that reads merge fields, and nothing else. */
  readonly token: string;
  readonly templateType: string;
  readonly documentId: string;
  /** The template that is edited, or that the document was generated from. */
  readonly templateId?: string | undefined;
  readonly locale: string;
}

/** The member `plugins` of `editorConfig`. */
export function pluginSection({ publicBase, token, ...facts }: PluginFacts) {
  const { templateType, documentId, templateId, locale } = facts;
  const options = {
    ...{ apiBaseUrl: publicBase, accessToken: token, templateType, documentId },
    ...(templateId !== undefined && { templateId }),
    locale,
  };
  return {
    autostart: [],
    pluginsData: [`${publicBase}${PLUGIN_PATH}/config.json`],
    options: { [PLUGIN_GUID]: options },
  };
}
