/** Where links of a storage without links of its own would lead: the editor makes none of those. */
export const FILE_LINKS = { path: '/api/v1/docs/file', keyPrefix: 'DOCLINK' };
