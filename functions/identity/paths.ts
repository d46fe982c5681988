export const SOURCES_PATH = '/api/v1/identity_source';
export const SYNCHRONIZER_PATH = '/api/v1/synchronizer';
