import { createHash } from 'node:crypto';
import type { LockedValue } from '../../../shared/docx/render/contract/request.ts';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type {
  EditedDocument,
  EditedDocuments,
  EditorSave,
  StoredSave,
} from '../../../shared/ports/templates.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { FileService } from '../catalog/file-service.ts';
import {
  codesOf,
  type Generation,
  type GenerationWarning,
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
      return found && aboutFile(template, found, found.status === 'DELETED');
    }
    const [, templateId, id] = GENERATED_FILE.exec(fileId) ?? [];
    if (!templateId || !id) return undefined;
    const found = await this.#deps.generations.find(templateId, id);
    return found && aboutFile(templateId, found, found.status !== 'GENERATED');
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
    { bytes, userId }: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { repository, fileService } = this.#deps;
    const template = await repository.findAny(id);
    if (!template) return undefined;
    if (template.status === 'DELETED' || !template.file) return 'conflict';
    try {
      const stored = await fileService.stageEdited(unit, template, bytes, userId);
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
    { bytes: sent, isTerminal, fileId }: EditorSave,
  ): Promise<StoredSave | 'conflict' | undefined> {
    const { generations, files, clock, machine } = this.#deps;
    const generation = await generations.find(templateId, id);
    if (!generation) return undefined;
    const { output } = generation;
    if (generation.status !== 'GENERATED' || output?.path !== fileId) return 'conflict';
    const { bytes, warnings } = await this.#corrected(generation, sent);
    const hash = createHash('sha256').update(bytes).digest('hex');
    // A save that is reported again, or changes nothing, makes no version; an interrupted one has written what nobody knows of.
    const isStored = hash === output.hash && (await hashFile(files, output.path))?.hash === hash;
    if (!isStored) await files.write(output.path, bytes, DOCX_TYPE);
    const moment = { at: toInstant(clock.now()), machineMs: machine.now() };
    const next = { ...output, sizeBytes: bytes.length, hash };
    generations.stage(
      unit,
      edited(generation, moment, { output: next, warnings, isTerminal }),
      'retry',
    );
    return {
      ...{ path: output.path, sizeBytes: bytes.length, hash },
      warningCodes: codesOf(warnings),
    };
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

const aboutFile = (
  templateId: string,
  { tenant }: { readonly tenant: string },
  isClosed: boolean,
): EditedDocument => ({ templateId, tenant, isClosed });
