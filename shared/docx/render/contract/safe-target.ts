/** Whether a link may lead there. */
export const isSafeTarget = (target: string): boolean =>
  /^(?:https?:\/\/|mailto:)[^\s\\]/i.test(target) && URL.canParse(target);
