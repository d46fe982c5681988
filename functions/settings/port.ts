import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { readPort, writePort } from '../../shared/module/bind-port.ts';
import type { ReEncryption } from '../../shared/ports/re-encryption.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { once, onDemand } from '../../shared/primitives/once.ts';
import { encryptionProblems } from './errors.ts';
import { RE_ENCRYPTION_PORT } from './events.ts';
import { RoundRepository } from './re-encryption/round-repository.ts';

/** Encryption under the key in `security.aes_secret`, or the host's own. */
export const encryptionPort = readPort({
  name: 'settings.encryption',
  problems: encryptionProblems,
  create: (context): EncryptService => context.host.encryptService ?? encryption(context),
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
  create: (context): SettingService => onDemand(services(context), 'settingService', 'getValue'),
});

/** A function that binds a port reads its code with the first call: many calls need neither settings nor keys. */
function services(context: ServiceContext) {
  return once(async () => (await import('./services.ts')).createSettingsServices(context));
}

function encryption(context: ServiceContext): EncryptService {
  const load = once(async () => {
    const { createAesEncryption } = await import('./services.ts');
    return { aes: createAesEncryption(context) };
  });
  return onDemand(load, 'aes', 'encrypt', 'decrypt', 'needsReencrypt', 'refreshKeys');
}

export { encryptionProblems } from './errors.ts';
