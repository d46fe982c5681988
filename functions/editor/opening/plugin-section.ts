import { pluginSection } from '../plugin/plugin-facts.ts';
import type { PluginTokens } from '../plugin/plugin-tokens.ts';
import type { PluginSection } from './editor-opening.ts';

/** The merge-field plugin of an editor; none while templates are switched off. */
export const pluginsOf =
  (tokens: PluginTokens, publicBase: () => string): PluginSection =>
  async ({ query, document, principal, locale }) => {
    const { documentId, templateType } = query;
    if (templateType === undefined) return undefined;
    const templateId = document?.templateId;
    const facts = { documentId, templateId, templateType };
    const token = await tokens.issue({ ...facts, principal });
    if (token === undefined) return undefined;
    return pluginSection({ publicBase: publicBase(), token, locale, ...facts });
  };
