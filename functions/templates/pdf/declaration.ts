import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { JobDeclaration } from '../../../shared/module/declaration.ts';
import { type Grant, objects } from '../../../shared/module/grants.ts';
import { FONT_NAMES, facesOf } from './chromium/font-list.ts';
import type { PdfEngine } from './engines.ts';

const PRINTED_PLACES = ['documents/generations/', 'documents/previews/'];

const documents = (): Grant[] => [
  objects(
    PRINTED_PLACES,
    ['GetObject', 'PutObject'],
    'Documents that are printed, and what they are printed to.',
  ),
];

/** As much of the configuration as decides about engines. */
interface PdfConfig extends PlatformConfig {
  readonly template: { readonly pdfConverter: PdfEngine; readonly pdfConcurrency: number };
}

/** Environments of an engine on a developer's machine: each takes up to 1.5 GB. */
const LOCAL_CONCURRENCY = 2;

const common = {
  grants: documents,
  localVariables: ['PDF_FONTS_PATH'],
  untestedGrants: [
    {
      actions: ['s3:GetObject'],
      on: PRINTED_PLACES.map((place) => `bucket/${place}*`),
      reason: 'Documents that are too large to be part of the call.',
    },
  ],
  reservedConcurrencyFor: ({ template }: PdfConfig, stage: string) =>
    template.pdfConcurrency || (stage === 'local' ? LOCAL_CONCURRENCY : undefined),
};

/** The engines that print documents, each in a function of its own. */
export const pdfEngines = [
  {
    ...common,
    name: 'pdf-libreoffice',
    enabled: ({ template }: PdfConfig) => template.pdfConverter === 'libreoffice',
    memoryMb: 3_008,
    tempSpaceMb: 1_024,
    packed: [
      {
        package: '@matbee/libreoffice-converter',
        from: 'wasm',
        files: [
          'loader.cjs',
          'soffice.cjs',
          'soffice.worker.cjs',
          'soffice.worker.js',
          'soffice.wasm',
          'soffice.data',
        ],
        as: 'libreoffice',
      },
    ],
  },
  {
    ...common,
    name: 'pdf-chromium',
    enabled: ({ template }: PdfConfig) => template.pdfConverter === 'chromium',
    // The package holds the binary for it alone.
    architecture: 'x86_64',
    localVariables: ['CHROMIUM_PATH', 'PDF_FONTS_PATH'],
    memoryMb: 2_048,
    tempSpaceMb: 1_024,
    packages: ['puppeteer-core'],
    packed: [
      {
        package: '@sparticuz/chromium',
        from: 'bin',
        files: ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'],
        as: 'chromium',
      },
      ...FONT_NAMES.map((font) => ({
        package: `@fontsource/${font.toLowerCase()}`,
        from: 'files',
        files: facesOf(font).map(({ file }) => file),
        as: `fonts/${font.toLowerCase()}`,
      })),
    ],
  },
] satisfies readonly JobDeclaration<PdfConfig>[];
