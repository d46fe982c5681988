interface Sent {
  readonly identitySourceId?: string | null | undefined;
  readonly config: { readonly clientSecretSet?: boolean | undefined };
}

/** What stays is left out, and what answers only show. */
export function withoutNull<T extends Sent>({ identitySourceId, config, ...body }: T) {
  const { clientSecretSet: _shown, ...sent } = config;
  return {
    ...body,
    identitySourceId: identitySourceId ?? undefined,
    config: sent as Omit<T['config'], 'clientSecretSet'>,
  };
}
