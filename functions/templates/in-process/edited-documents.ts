import { createHash } from 'node:crypto';
import type { LockedValue } from '../../../shared/docx/render/contract/request.ts';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type {
  EditedDocument,
  EditedDocuments,
  EditorSave,
  StoredSave,
  UnreadSave,
} from '../../../shared/ports/templates.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { FileService } from '../catalog/file-service.ts';
import {
  codesOf,
  type Generation,
  type GenerationWarning,
  type Output,
} from '../domain/documents/generation.ts';
import { edited } from '../domain/documents/generation-changes.ts';
import { DOCX_TYPE } from '../domain/documents/template-file.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type { TemplateRepository } from '../store/template-repository.ts';
import { correctDocument } from './correct-document.ts';

interface EditedDocumentsDependencies {
  readonly repository: TemplateRepository;
  readonly fileService: FileService;
  readonly fileRepository: FileRepository;
  readonly generations: GenerationRepository;
  readonly files: Files;
  readonly clock: Clock;
  readonly machine: Clock;
}

/** An output as it is written now. */
interface WrittenOutput {
  readonly sizeBytes: number;
  readonly hash: string;
  readonly warnings: readonly GenerationWarning[];
}

const UUID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const TEMPLATE_FILE = new RegExp(`^documents/templates/${UUID}/[^/]+\\.docx$`);
const GENERATED_FILE = new RegExp(`^documents/generations/${UUID}/${UUID}/[^/]+\\.docx$`);
const MAX_LOCKS_BYTES = 64 * 1_024 * 1_024;

/** Stores what an editor saves of templates and generated documents. */
export class StoredEdits implements EditedDocuments {
  readonly #deps: EditedDocumentsDependencies;

  constructor(dependencies: EditedDocumentsDependencies) {
    this.#deps = dependencies;
  }

  async find(fileId: string): Promise<EditedDocument | undefined> {
    const [, template] = TEMPLATE_FILE.exec(fileId) ?? [];
    if (template) {
      const found = await this.#deps.repository.findAny(template);
      return found && aboutFile(template, found, found.status === 'DELETED', false);
    }
    const [, templateId, id] = GENERATED_FILE.exec(fileId) ?? [];
    if (!templateId || !id) return undefined;
    const found = await this.#deps.generations.find(templateId, id);
    const isClosed = found?.status !== 'GENERATED';
    return found && aboutFile(templateId, found, isClosed, takesUnread(found));
  }

  async save(unit: UnitOfWork, save: EditorSave): Promise<StoredSave | 'conflict' | undefined> {
    const [, template] = TEMPLATE_FILE.exec(save.fileId) ?? [];
    if (template) return this.#saveTemplate(unit, template, save);
    const [, templateId, id] = GENERATED_FILE.exec(save.fileId) ?? [];
    return templateId && id ? this.#saveGeneration(unit, templateId, id, save) : undefined;
  }

  async #saveTemplate(
    unit: UnitOfWork,
    id: string,
    { content, userId }: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { repository, fileService } = this.#deps;
    const template = await repository.findAny(id);
    if (!template) return undefined;
    const isOpen = template.status !== 'DELETED' && template.file !== undefined;
    if (!isOpen || !(content instanceof Uint8Array)) return 'conflict';
    try {
      const stored = await fileService.stageEdited(unit, template, content, userId);
      const { path, fileSize: sizeBytes, fileHash: hash, warnings } = stored;
      return { ...{ path, sizeBytes, hash }, warningCodes: codesOf(warnings) };
    } catch (error) {
      // What is no template any more is kept beside it, for its author to look at.
      if (error instanceof Problem && error.status < 500) return 'conflict';
      throw error;
    }
  }

  async #saveGeneration(
    unit: UnitOfWork,
    templateId: string,
    id: string,
    { content, isTerminal, fileId }: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { generations, clock, machine } = this.#deps;
    const generation = await generations.find(templateId, id);
    if (!generation) return undefined;
    const { output } = generation;
    if (generation.status !== 'GENERATED' || output?.path !== fileId) return 'conflict';
    const isRead = content instanceof Uint8Array;
    if (!isRead && !takesUnread(generation)) return 'conflict';
    const { warnings, ...written } = isRead
      ? await this.#writeCorrected(generation, output, content)
      : await this.#writeUnread(output, content);
    const moment = { at: toInstant(clock.now()), machineMs: machine.now() };
    const next = { ...output, ...written };
    generations.stage(
      unit,
      edited(generation, moment, { output: next, warnings, isTerminal }),
      'retry',
    );
    return { path: output.path, ...written, warningCodes: codesOf(warnings) };
  }

  /** A save that is reported again, or changes nothing, makes no version; an interrupted one has written what nobody knows of. */
  async #writeCorrected(
    generation: Generation,
    { path, hash: known }: Output,
    sent: Uint8Array,
  ): Promise<WrittenOutput> {
    const { files } = this.#deps;
    const { bytes, warnings } = await this.#corrected(generation, sent);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const isStored = hash === known && (await hashFile(files, path))?.hash === hash;
    if (!isStored) await files.write(path, bytes, DOCX_TYPE);
    return { sizeBytes: bytes.length, hash, warnings };
  }

  /** What an interrupted call has written already is not written again. */
  async #writeUnread({ path }: Output, save: UnreadSave): Promise<WrittenOutput> {
    const { files } = this.#deps;
    const { sizeBytes, hash } = save;
    const mayBeStored = (await files.facts(path))?.sizeBytes === sizeBytes;
    const isStored = mayBeStored && (await hashFile(files, path))?.hash === hash;
    if (!isStored) await save.write();
    const message = 'The document is too large: its merge fields were not looked at.';
    return { sizeBytes, hash, warnings: [{ code: 'DOCUMENT_TOO_LARGE_TO_NORMALISE', message }] };
  }

  /** Merge fields that somebody has typed are controls, and values that were locked are as they were. */
  async #corrected(
    { output, templateId }: Generation,
    bytes: Uint8Array,
  ): Promise<{ readonly bytes: Uint8Array; readonly warnings: readonly GenerationWarning[] }> {
    const { files, fileRepository } = this.#deps;
    const [stored, fields] = await Promise.all([
      output?.locksPath ? files.read(output.locksPath, MAX_LOCKS_BYTES) : undefined,
      fileRepository.fields(templateId),
    ]);
    const locked: readonly LockedValue[] = stored
      ? JSON.parse(Buffer.from(stored.body).toString())
      : [];
    return correctDocument(bytes, { locked, declared: fields.map(({ name }) => name) });
  }
}

/** Values that were locked could not be put back. */
const takesUnread = ({ status, output }: Generation): boolean =>
  status === 'GENERATED' && output?.locksPath === undefined;

const aboutFile = (
  templateId: string,
  { tenant }: { readonly tenant: string },
  isClosed: boolean,
  takesUnread: boolean,
): EditedDocument => ({ templateId, tenant, isClosed, takesUnread });
