/** A request to an AWS service as it went over the wire. */
export interface AwsRequest {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Names of the platform's own resources. */
export interface ResourceNames {
  readonly tableName: string;
  readonly bucketName: string;
  readonly eventBusName: string;
}

/** What a request does, in the words of IAM. */
export interface IamCall {
  readonly action: string;
  readonly resource: string;
  readonly leadingKeys?: readonly string[];
}

/** Module of the function that sent a request, from the application id in its user agent; undefined for others. */
export function callingModule(userAgent: string | undefined): string | undefined {
  return /\bapp\/svc-cloud-([a-z0-9]+(?:-[a-z0-9]+)*)/.exec(userAgent ?? '')?.[1];
}

/** The service that a request is signed for, such as `dynamodb`. */
export function signedService(authorization: string | undefined): string | undefined {
  return /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization ?? '')?.[1];
}
