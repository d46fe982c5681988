#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import {
  type DocxInspection,
  DocxRefused,
  inspectDocx,
  type MarkerOccurrence,
  openDocx,
} from '../../../shared/docx/index.ts';
import { CommandError } from '../terminal/command-error.ts';
import { runCommand } from '../terminal/output.ts';

const usage = 'npm run --silent docx:inspect -- <file>...';

/** What is said of a file in one line. */
export async function describeDocx(file: string, bytes: Uint8Array): Promise<object> {
  try {
    return { file, ...describe(inspectDocx(await openDocx(bytes))) };
  } catch (error) {
    if (error instanceof DocxRefused) return { file, refused: error.code };
    throw error;
  }
}

function describe(inspection: DocxInspection): object {
  const { fields, sections, invalid, warnings } = inspection;
  const isUnclosed = (code: string): boolean => code.startsWith('UNCLOSED_');
  return {
    fields: [
      ...count(
        fields.flatMap(({ occurrences }) => occurrences),
        true,
      ),
      ...count(
        [...sections.map((one) => ({ ...one, name: `${signOf(one.raw)}${one.name}` })), ...invalid],
        false,
      ),
    ],
    unclosed: warnings
      .filter(({ code }) => isUnclosed(code))
      .map(({ part, paragraph }) => ({ part, paragraph })),
    warnings: warnings.filter(({ code }) => !isUnclosed(code)),
  };
}

/** `#`, `^` or `/`. */
const signOf = (raw: string): string => /[#^/]/.exec(raw)?.[0] ?? '';

/** How often each name stands at each kind of place. */
function count(occurrences: readonly MarkerOccurrence[], valid: boolean): object[] {
  const groups = Map.groupBy(occurrences, ({ kind, name, part, location }) =>
    JSON.stringify({ kind, name, valid, part, location }),
  );
  return [...groups].map(([key, group]) => ({ ...JSON.parse(key), count: group.length }));
}

async function main(files: readonly string[]): Promise<void> {
  if (files.length === 0) throw new CommandError('No file is named.', `Usage: ${usage}`);
  for (const file of files) {
    const bytes = await readFile(file).catch((cause: unknown) => {
      throw new CommandError(`${file} cannot be read.`, `Usage: ${usage}`, { cause });
    });
    console.log(JSON.stringify(await describeDocx(file, bytes)));
  }
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)));
