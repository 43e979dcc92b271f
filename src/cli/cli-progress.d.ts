/** Types for the part of cli-progress that is used here; the package has none. */
declare module 'cli-progress' {
  export class SingleBar {
    constructor(options: {
      readonly format: string
      readonly stream: NodeJS.WritableStream
      readonly clearOnComplete: boolean
      readonly hideCursor: boolean
    })
    start(total: number, value: number, payload: Readonly<Record<string, string>>): void
    update(value: number, payload: Readonly<Record<string, string>>): void
    setTotal(total: number): void
    stop(): void
  }
}
