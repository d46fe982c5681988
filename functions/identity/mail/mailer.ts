/** A mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
}

/** Sends mail in the name of `svc.idp.mail-from`. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}
