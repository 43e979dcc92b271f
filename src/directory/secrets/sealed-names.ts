/** The name that the signing secret of a webhook is sealed for. No secret of a script has it: their names have no line ends. */
export const signingSecretName = (webhookId: string): string => `webhook\n${webhookId}`
