import { MASK } from '../../../../shared/security/secret-text.ts';
import { isSecretName, mentionsSecret } from './secret-names.ts';

const LINE = /^(\s*["']?)([\w.-]+(?:\[[\w.-]*\])*)(["']?\s*[:=]\s*)(.*)$/;
/** Begins the text of deeper lines. */
const BLOCK = /^[|>][+-]?\d?[+-]?$/;
/** Ends with its line: neither quoted, listed nor continued on the next one. */
const WHOLE = /^(?:[^\s"'`|>{}[\]()<\\][^\\]*|"[^"\\]*"|'[^'\\]*')?$/;

type MaskValue = (value: string) => string | undefined;

/** A secret name, whose value are the deeper lines below it as well. */
interface Secret {
  readonly depth: number;
  /** Whether its value has to follow in deeper lines. */
  readonly isOpen: boolean;
}

/**
 * Lines of `name: value` and `name=value`, such as headers, properties and YAML, with the values of secret names masked
 * and what stands deeper below them left out; `undefined` for anything else.
 */
export function maskLines(text: string, maskValue: MaskValue): string | undefined {
  const shown: string[] = [];
  let secret: Secret | undefined;
  for (const line of text.split(/\r?\n/)) {
    const depth = line.search(/\S/);
    if (depth < 0) {
      shown.push('');
    } else if (secret && depth > secret.depth) {
      if (!isPlainPart(line)) return undefined;
      secret = { ...secret, isOpen: false };
    } else {
      const masked = maskLine(line, depth, maskValue);
      if (!masked || secret?.isOpen) return undefined;
      secret = masked.secret;
      shown.push(masked.shown);
    }
  }
  return shown.join('\n');
}

/** Whether a line is a part of the secret above and nothing else, and ends with itself. */
const isPlainPart = (line: string): boolean => !line.endsWith('\\') && !mentionsSecret(line);

function maskLine(
  line: string,
  depth: number,
  maskValue: MaskValue,
): { readonly shown: string; readonly secret?: Secret } | undefined {
  const [, indent = '', name = '', separator = '', value = ''] = LINE.exec(line) ?? [];
  if (name === '' || indent.includes('\t')) return undefined;
  const before = indent + name + separator;
  if (isSecretName(name)) {
    const secret = { depth, isOpen: BLOCK.test(value.trimEnd()) };
    return secret.isOpen || isWhole(value, maskValue)
      ? { shown: before + MASK, secret }
      : undefined;
  }
  const shown = maskValue(value);
  return shown === undefined ? undefined : { shown: before + shown };
}

/** Whether a secret ends with its line, and is not about another one. */
function isWhole(value: string, maskValue: MaskValue): boolean {
  const text = value.trimEnd();
  if (mentionsSecret(text)) return false;
  return WHOLE.test(text) || (/^[[{]/.test(text) && maskValue(text) !== undefined);
}
