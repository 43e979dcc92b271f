/** The most that is told at once: enough for the collector to act upon. */
const PORTION = 2 ** 26

/**
 * Tells the garbage collector of this thread that so many bytes of shared memory have become garbage here. It counts shared
 * memory as nothing and would let gigabytes of it lie; plain memory it counts. So the same amount of plain memory is asked for
 * and dropped: never touched, it takes no room.
 */
export function noteSharedGarbage(bytes: number): void {
  for (let left = bytes; left > 0; left -= PORTION) void new ArrayBuffer(Math.min(left, PORTION))
}
