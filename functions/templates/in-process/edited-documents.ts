import { createHash } from 'node:crypto';
import type { LockedValue } from '../../../shared/docx/render/contract/request.ts';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type {
  EditedDocument,
  EditedDocuments,
  EditorSave,
  EndedDocument,
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
import { historyOfTemplate, type Template } from '../domain/documents/template.ts';
import { DOCX_TYPE } from '../domain/documents/template-file.ts';
import type { EndedDocuments } from '../store/ended-documents.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type { TemplateRepository } from '../store/template-repository.ts';
import {
  aboutApproved,
  aboutGeneration,
  sourceOf,
  takesUnread,
  writtenOf,
} from './about-documents.ts';
import { correctDocument } from './correct-document.ts';

interface EditedDocumentsDependencies {
  readonly repository: TemplateRepository;
  readonly fileService: FileService;
  readonly fileRepository: FileRepository;
  readonly generations: GenerationRepository;
  readonly endedDocuments: EndedDocuments;
  readonly files: Files;
  readonly clock: Clock;
  readonly machine: Clock;
}

/** An output as it is written now. */
interface WrittenOutput {
  readonly sizeBytes: number;
  readonly hash: string;
  readonly warnings: readonly GenerationWarning[];
  readonly file: WrittenFile | undefined;
}

const UUID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const TEMPLATE_FILE = new RegExp(`^documents/templates/${UUID}/.+$`);
const GENERATED_FILE = new RegExp(`^documents/generations/${UUID}/${UUID}/.+$`);
const isApproved = (fileId: string): boolean => fileId.startsWith('documents/approved/');
/** Other files of theirs, as PDFs, are shown and never edited. */
const isEditable = (fileId: string): boolean => fileId.endsWith('.docx');
const MAX_LOCKS_BYTES = 64 * 1_024 * 1_024;

const closedUnless = (isOpen: boolean, document: EditedDocument): EditedDocument =>
  isOpen ? document : { ...document, isClosed: true };

/** Stores what an editor saves of templates and generated documents. */
export class StoredEdits implements EditedDocuments {
  readonly #deps: EditedDocumentsDependencies;

  constructor(dependencies: EditedDocumentsDependencies) {
    this.#deps = dependencies;
  }

  async find(fileId: string): Promise<EditedDocument | undefined> {
    if (isApproved(fileId)) return aboutApproved(fileId);
    const [, template] = TEMPLATE_FILE.exec(fileId) ?? [];
    if (template) {
      const found = await this.#deps.repository.findAny(template);
      return found && closedUnless(isEditable(fileId), await this.#aboutTemplate(found));
    }
    const [, templateId, id] = GENERATED_FILE.exec(fileId) ?? [];
    if (!templateId || !id) return undefined;
    const found = await this.#deps.generations.find(templateId, id);
    return found && closedUnless(isEditable(fileId), aboutGeneration(found));
  }

  async #aboutTemplate(template: Template): Promise<EditedDocument> {
    const { id: templateId, tenant, status } = template;
    return {
      ...{ templateId, tenant, isClosed: status === 'DELETED', takesUnread: false },
      newestFile: await this.#newestFile(template),
      history: historyOfTemplate(templateId),
    };
  }

  /** Earlier versions of the platform have not kept the path with the template. */
  async #newestFile({ id, file }: Template): Promise<string | undefined> {
    return (
      file && (file.path ?? (await this.#deps.fileRepository.find(id, file.fileVersion))?.path)
    );
  }

  ended(most: number): Promise<readonly EndedDocument[]> {
    return this.#deps.endedDocuments.list(most);
  }

  settle(ended: EndedDocument): Promise<void> {
    return this.#deps.endedDocuments.settle(ended);
  }

  postpone(ended: EndedDocument): Promise<void> {
    return this.#deps.endedDocuments.postpone(ended);
  }

  async save(unit: UnitOfWork, save: EditorSave): Promise<StoredSave | 'conflict' | undefined> {
    const [, template] = TEMPLATE_FILE.exec(save.fileId) ?? [];
    const [, templateId, id] = GENERATED_FILE.exec(save.fileId) ?? [];
    const isFixed = (template || id) && !isEditable(save.fileId);
    if (isFixed || isApproved(save.fileId)) return 'conflict';
    if (template) return this.#saveTemplate(unit, template, save);
    return templateId && id ? this.#saveGeneration(unit, templateId, id, save) : undefined;
  }

  async #saveTemplate(
    unit: UnitOfWork,
    id: string,
    { fileId, content, userId, lastPath, restoredFrom }: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { repository, fileService } = this.#deps;
    const template = await repository.findAny(id);
    if (!template) return undefined;
    const newest = template.status === 'DELETED' ? undefined : await this.#newestFile(template);
    // Another session has made a newer one, whose changes this save does not have.
    const isOld = newest === undefined || (newest !== fileId && newest !== lastPath);
    if (isOld || !(content instanceof Uint8Array)) return 'conflict';
    const source = sourceOf(restoredFrom);
    try {
      const stored = await fileService.stageEdited(unit, template, content, { userId, source });
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
    save: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { content, isTerminal, fileId } = save;
    const { generations, clock, machine } = this.#deps;
    const generation = await generations.find(templateId, id);
    if (!generation) return undefined;
    const { output } = generation;
    if (generation.status !== 'GENERATED' || output?.path !== fileId) return 'conflict';
    const isRead = content instanceof Uint8Array;
    const isTaken = isRead || content.isStored || takesUnread(generation);
    if (!isTaken) return 'conflict';
    const { warnings, file, ...written } = isRead
      ? await this.#writeCorrected(generation, output, content, save)
      : await this.#writeUnread(output, content, save);
    const moment = { at: toInstant(clock.now()), machineMs: machine.now() };
    const next = { ...output, ...written };
    generations.stage(
      unit,
      edited(generation, moment, { output: next, warnings, isTerminal }),
      'retry',
    );
    return {
      path: output.path,
      ...written,
      warningCodes: codesOf(warnings),
      written: file && writtenOf(file),
    };
  }

  /** A save that is reported again, or changes nothing, makes no version. */
  async #writeCorrected(
    generation: Generation,
    { path }: Output,
    sent: Uint8Array,
    { expected, begin }: EditorSave,
  ): Promise<WrittenOutput> {
    const { bytes, warnings } = await this.#corrected(generation, sent);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const content = { sizeBytes: bytes.length, hash };
    const stored = await this.#factsOf(path, content);
    if (!stored) await begin?.({ ...content, warningCodes: codesOf(warnings) });
    const file = stored ?? (await this.#deps.files.write(path, bytes, DOCX_TYPE, expected));
    return { ...content, warnings, file };
  }

  /** What lies at a path, when it is a content: an interrupted call may have written it already. */
  async #factsOf(
    path: string,
    { sizeBytes, hash }: Pick<WrittenOutput, 'sizeBytes' | 'hash'>,
  ): Promise<WrittenFile | undefined> {
    const { files } = this.#deps;
    const facts = await files.facts(path);
    if (facts?.sizeBytes !== sizeBytes) return undefined;
    return (facts.sha256 ?? (await hashFile(files, path))?.hash) === hash ? facts : undefined;
  }

  async #writeUnread(
    { path }: Output,
    { sizeBytes, hash, isStored, write }: UnreadSave,
    { begin }: EditorSave,
  ): Promise<WrittenOutput> {
    const message = 'The document is too large: its merge fields were not looked at.';
    const warnings = isStored ? [] : [{ code: 'DOCUMENT_TOO_LARGE_TO_NORMALISE', message }];
    const stored = await this.#factsOf(path, { sizeBytes, hash });
    if (!stored) await begin?.({ sizeBytes, hash, warningCodes: codesOf(warnings) });
    const file = stored ?? (await write());
    return { sizeBytes, hash, warnings, file };
  }

  /** Typed merge fields become controls, and locked values are restored. */
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
