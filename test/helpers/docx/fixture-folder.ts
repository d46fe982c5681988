import { existsSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../../shared/fixtures/docx/', import.meta.url);

/** A marker as an independent counter found it. */
export interface Fact {
  readonly kind: 'fldSimple' | 'fldChar' | 'mustache' | 'bracket' | 'guillemet';
  readonly name: string;
  readonly valid: boolean;
  /** `body/table/textbox` and the like. */
  readonly where: string;
  readonly part: string;
  readonly count: number;
  readonly inFallback?: boolean;
}

export interface FixtureFacts {
  readonly file: string;
  readonly fields?: readonly Fact[];
  /** Pages that an installed LibreOffice prints. */
  readonly libreofficePages?: number;
}

/** The documents beside the project; undefined, and one line that says so, where there are none. */
export function docxFixtures(): readonly FixtureFacts[] | undefined {
  if (!existsSync(FOLDER)) {
    process.stdout.write(`not run: the documents are not at ${FOLDER.pathname}\n`);
    return undefined;
  }
  const facts: { files: Record<string, Omit<FixtureFacts, 'file'>> } = JSON.parse(
    readFileSync(new URL('facts.json', FOLDER), 'utf8'),
  );
  return Object.entries(facts.files).map(([file, rest]) => ({ ...rest, file }));
}

export const readFixture = (file: string): Buffer => readFileSync(new URL(file, FOLDER));
