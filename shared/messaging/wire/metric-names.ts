/** Namespace of all metrics. */
export const METRIC_NAMESPACE = 'svc-cloud';

/** Dimension of the metrics of the whole outbox, from any function. */
export const OUTBOX_SERVICE = 'svc-cloud-mq';
