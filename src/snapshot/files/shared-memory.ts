/** The largest single allocation in bytes: large enough for the collector to react. */
const PORTION = 2 ** 26

/**
 * Tells the garbage collector of this thread how many bytes of shared memory have become garbage. The collector does not count
 * shared memory, and would not free gigabytes of it; it does count plain memory. So this allocates and drops the same amount
 * of plain memory, which takes no room because it is never touched.
 */
export function noteSharedGarbage(bytes: number): void {
  for (let left = bytes; left > 0; left -= PORTION) void new ArrayBuffer(Math.min(left, PORTION))
}
