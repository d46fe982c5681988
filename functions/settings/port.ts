import { readPort } from '../../shared/module/bind-port.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { problems } from './errors.ts';
import { createEncryptService, createSettingsServices } from './services.ts';

/** What encrypting and decrypting may answer. */
export const encryptionProblems = [
  problems.encryptKeyMissing,
  problems.encryptKeyUnknown,
  problems.encryptMalformed,
];

/** Encryption under the key in `security.aes_secret`, or the host's own. */
export const encryptionPort = readPort({
  name: 'settings.encryption',
  problems: encryptionProblems,
  create: (context): EncryptService => createEncryptService(context),
});

/** Values of settings, cached until they are refreshed. */
export const settingValuesPort = readPort({
  name: 'settings.values',
  create: (context): SettingService => createSettingsServices(context).settingService,
});
