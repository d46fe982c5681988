import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import { FamilyStore } from '../store/family-store.ts';
import { FamilyWriter } from '../store/family-writer.ts';
import { Packer } from '../store/packed.ts';
import { RestRunner } from '../store/rest-runner.ts';
import { CaseCommands, type CaseCommandsDependencies } from './case-commands.ts';
import { CaseStarter } from './case-starter.ts';

export interface CaseServicesDependencies
  extends Pick<CaseCommandsDependencies, 'limits' | 'eventsOf'> {
  readonly definitions: DefinitionReader;
  readonly files: Files;
}

/** The services of cases. */
export function createCaseServices(
  context: ServiceContext<PlatformConfig>,
  given: CaseServicesDependencies,
) {
  const packer = new Packer({ files: given.files, ids: context.ids });
  const rests = new RestRunner({ ...context, packer, clock: context.tenantClock.machine });
  const families = new FamilyStore({ ...context, packer, rests });
  const writer = new FamilyWriter({ ...context, packer, rests });
  const commands = new CaseCommands({ ...context, ...given, families, writer });
  return { rests, families, commands, starter: new CaseStarter({ ...context, ...given, commands }) };
}
