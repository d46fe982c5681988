import { loadConfig, type SvcConfig } from '../config/index.ts';
import { PATH_PLACEHOLDERS } from './placeholders.ts';

/** The configuration that the API is described with: defaults, and placeholders where a path depends on it. */
export function describedConfig(): SvcConfig {
  const config = loadConfig({});
  return {
    ...config,
    dynamic: { ...config.dynamic, apiPrefix: PATH_PLACEHOLDERS['dynamic.api-prefix'] },
    docs: { ...config.docs, callbackPath: PATH_PLACEHOLDERS['docs.callback-path'] },
  };
}
