import type { CheckedConfig } from '../../shared/config/checked-config.ts';
import { type AnyConfig, commonSections, loadConfig } from '../../shared/config/index.ts';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';
import { functionConfig, sectionsOf } from '../configuration/function-config.ts';

/** A configuration of the platform and the stage it is for. */
export interface DeployedConfig {
  readonly stage: string;
  readonly config: AnyConfig;
}

/** The configuration that the functions of a module read from their `SVC_CONFIG`. */
export function readAhead(
  { stage, config }: DeployedConfig,
  module: ModuleDeclaration,
  modules: readonly ModuleDeclaration[],
): CheckedConfig {
  const text = functionConfig(config, module, modules);
  const sections = [...commonSections, ...sectionsOf(module, modules)];
  const names = new Set<string>(sections.map(({ name }) => name));
  const own = Object.entries(JSON.parse(text) as object).filter(([name]) => names.has(name));
  return { text, stage, config: loadConfig(Object.fromEntries(own), { sections, stage }) };
}
