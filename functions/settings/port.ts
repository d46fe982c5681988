import { readPort, writePort } from '../../shared/module/bind-port.ts';
import type { ReEncryption } from '../../shared/ports/re-encryption.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { encryptionProblems } from './errors.ts';
import { RE_ENCRYPTION_PORT } from './events.ts';
import { RoundRepository } from './re-encryption/round-repository.ts';
import { createEncryptService, createSettingsServices } from './services.ts';

/** Encryption under the key in `security.aes_secret`, or the host's own. */
export const encryptionPort = readPort({
  name: 'settings.encryption',
  problems: encryptionProblems,
  create: (context): EncryptService => createEncryptService(context),
});

/** The re-encryption that moves all cipher texts to the newest key. */
export const reEncryptionPort = writePort({
  name: RE_ENCRYPTION_PORT,
  create: (context): ReEncryption =>
    new RoundRepository({ ...context, clock: context.tenantClock.machine }),
});

/** Values of settings, cached until they are refreshed. */
export const settingValuesPort = readPort({
  name: 'settings.values',
  create: (context): SettingService => createSettingsServices(context).settingService,
});

export { encryptionProblems } from './errors.ts';
