/** Namespace of all metrics. */
export const METRIC_NAMESPACE = 'svc-cloud';

/** Dimension of the metrics that describe the outbox as a whole, whoever writes them. */
export const OUTBOX_SERVICE = 'svc-cloud-mq';
