import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

/** The problems of the settings module. */
export const problems = defineProblems({
  settingNotFound: {
    code: 'SETTING_NOT_FOUND',
    status: 404,
    title: 'Setting not found',
    describe: ({ name }: { name: string }) => `There is no setting named ${name}.`,
  },
  settingVersionNotFound: {
    code: 'SETTING_VERSION_NOT_FOUND',
    status: 404,
    title: 'Setting version not found',
    describe: ({ name, version }: { name: string; version: number }) =>
      `The history of ${name} has no version ${version} with a value.`,
  },
  settingExists: {
    code: 'SETTING_EXISTS',
    status: 412,
    title: 'Setting already exists',
    describe: ({ name }: { name: string }) =>
      `The setting ${name} already exists; If-None-Match: * allows creation only.`,
  },
  settingInvalid: {
    code: 'SETTING_INVALID',
    status: 422,
    title: 'Value not allowed for this setting',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: errors.map(({ detail }) => detail).join(' '),
      errors,
    }),
  },
  settingProtected: {
    code: 'SETTING_PROTECTED',
    status: 409,
    title: 'Setting is protected',
    describe: ({ detail }: { detail: string }) => detail,
  },
  jobNotFound: {
    code: 'SETTING_JOB_NOT_FOUND',
    status: 404,
    title: 'Job not found',
    describe: ({ id }: { id: string }) => `There is no job ${id}.`,
  },
  jobEnded: {
    code: 'SETTING_JOB_ENDED',
    status: 409,
    title: 'Job has ended',
    describe: ({ id }: { id: string }) => `Job ${id} has ended; there is nothing to cancel.`,
  },
  encryptKeyMissing: {
    code: 'ENCRYPT_KEY_MISSING',
    status: 409,
    title: 'Encryption key is missing',
    describe: () => 'The setting security.aes_secret does not exist; save it first.',
  },
  encryptKeyUnknown: {
    code: 'ENCRYPT_KEY_UNKNOWN',
    status: 422,
    title: 'Unknown encryption key',
    describe: ({ kid }: { kid: string }) => `No current or former key has the id ${kid}.`,
  },
  encryptMalformed: {
    code: 'ENCRYPT_MALFORMED',
    status: 422,
    title: 'Ciphertext is malformed or was altered',
    describe: () => 'The ciphertext was altered or truncated, or has another format.',
  },
});

/** Problems of encrypting and decrypting. */
export const encryptionProblems = [
  problems.encryptKeyMissing,
  problems.encryptKeyUnknown,
  problems.encryptMalformed,
];
