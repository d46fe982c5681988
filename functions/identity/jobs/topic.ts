/** Topic by which a job of the module wakes itself for its next step. */
export const JOB_TOPIC = 'identity.job';
