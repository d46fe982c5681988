import { toPage } from '../../../shared/http/paging.ts';
import type {
  DocumentTemplate,
  TemplateFileFacts,
  TemplateService,
} from '../../../shared/ports/templates.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import type { FileService } from '../catalog/file-service.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import type { Template } from '../domain/documents/template.ts';
import type { CurrentFile } from '../domain/documents/template-file.ts';

interface TemplateServiceDependencies {
  readonly catalog: OnDemand<TemplateCatalog>;
  readonly fileService: OnDemand<FileService>;
  readonly pageSize: number;
}

/** Templates for other modules and hosts. */
export const templateService = ({
  catalog,
  fileService,
  pageSize,
}: TemplateServiceDependencies): TemplateService => ({
  async listTemplates({ size = pageSize, ...query }, principal) {
    const found = await catalog.list({ ...query, size }, principal);
    const { content, number, total } = found;
    const page = toPage({
      content: content.map(toView),
      ...{ number, size, total: { value: total, relation: 'eq' as const } },
    });
    return { ...page, last: (number + 1) * size >= total };
  },
  createTemplate: async (template, principal) => toView(await catalog.create(template, principal)),
  updateTemplate: async (id, details, principal, seen) =>
    toView(await catalog.update(id, details, principal, seen)),
  deleteTemplate: (id, principal, seen) => catalog.delete(id, principal, seen),
  async uploadTemplateFile(id, file, principal) {
    const stored = await fileService.upload(id, file, principal);
    return toFacts(stored);
  },
});

const toView = ({ id, code, status, version, file, ...template }: Template): DocumentTemplate => {
  const { name, type, entityType, description, numberPattern } = template;
  return {
    ...{ id, code, status, version, file: file && toFacts(file) },
    ...{ name, type, entityType, description, numberPattern },
  };
};

const toFacts = ({
  fileVersion,
  fileName,
  fileSize,
  fileHash,
}: CurrentFile): TemplateFileFacts => ({
  ...{ fileVersion, fileName, fileSize, fileHash },
});
