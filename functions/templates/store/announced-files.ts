import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { FileVersion } from '../domain/documents/template-file.ts';
import { ANNOUNCED_PARTITION, announcedKey } from './template-keys.ts';

/** A version whose objects may be there without it. */
export interface AnnouncedFile
  extends Pick<FileVersion, 'fileVersion' | 'path' | 'inspectionPath'> {
  readonly templateId: string;
}

interface AnnouncedItem extends Item {
  readonly announced: AnnouncedFile;
}

interface AnnouncedFilesDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly tenantClock: { readonly machine: Clock };
}

/** How long an announcement is kept: a sweep looks at it within minutes. */
export const ANNOUNCED_MS = 2 * 86_400_000;

/** Versions that were about to be stored: each is announced before its objects are written, and forgotten by itself. */
export class AnnouncedFiles {
  readonly #deps: AnnouncedFilesDependencies;

  constructor(dependencies: AnnouncedFilesDependencies) {
    this.#deps = dependencies;
  }

  /** One write unit. */
  async announce(
    templateId: string,
    { fileVersion, path, inspectionPath }: FileVersion,
  ): Promise<void> {
    const { batchWrite, tenantClock } = this.#deps;
    const now = tenantClock.machine.now();
    const announced: AnnouncedFile = { templateId, fileVersion, path, inspectionPath };
    const item = {
      ...announcedKey(toInstant(now), path),
      ...{ type: 'TEMPLATE_FILE_ANNOUNCED', announced },
      ttl: Math.ceil((now + ANNOUNCED_MS) / 1_000),
    };
    await batchWrite({ puts: [item] });
  }

  /** Those of a time (epoch ms of the machine), both ends included. */
  async between(fromMs: number, untilMs: number): Promise<readonly AnnouncedFile[]> {
    const items = await readAll<AnnouncedItem>(this.#deps.table, {
      partition: ANNOUNCED_PARTITION,
      between: { from: toInstant(fromMs), to: `${toInstant(untilMs)}~` },
    });
    return items.map(({ announced }) => announced);
  }
}
