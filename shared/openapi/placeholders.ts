/** Paths that the configuration decides, and what stands for them until it is known. */
export const PATH_PLACEHOLDERS = {
  'dynamic.api-prefix': '/~dynamic.api-prefix~',
  'docs.callback-path': '/~docs.callback-path~',
} as const;
