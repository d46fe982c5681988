import { encryptionProblems } from '../../../settings/port.ts';
import { problems } from '../../errors.ts';

/** Why a configuration is refused. */
export const ofConfigs = [
  problems.passwordRequired,
  problems.weakPassword,
  problems.scheduleInvalid,
  problems.targetNotFound,
  problems.mappingInvalid,
  problems.addressNotAllowed,
  ...Object.values(encryptionProblems),
];

type WithoutNull<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Blocks that are null are as those left out. */
export const present = <T extends object>(given: T): WithoutNull<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as WithoutNull<T>;
