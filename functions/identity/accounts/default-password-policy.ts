import type { PasswordPolicy } from '../../../shared/ports/identity.ts';

const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

/** Length, and more than one kind of character; a host brings its own rules. */
export const defaultPasswordPolicy: PasswordPolicy = {
  check(password, user) {
    if (password.length < MIN_LENGTH) return `must have at least ${MIN_LENGTH} characters`;
    if (password.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
    const kinds = [/\p{L}/u, /\P{L}/u].filter((kind) => kind.test(password)).length;
    if (kinds < 2) return 'must have letters and other characters';
    if (user && password.toLowerCase().includes(user.userName.toLowerCase())) {
      return 'must not hold the user name';
    }
    return undefined;
  },
};
