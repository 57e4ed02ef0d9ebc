// Downloads one episode in the background.
package app.streamapp.download

import androidx.work.CoroutineWorker

private const val MINIMUM_FREE_BYTES = 500L * 1024 * 1024

class DownloadWorker(context: Context, params: WorkerParameters) : CoroutineWorker(context, params) {
    override suspend fun doWork(): Result {
        if (storage.freeBytes() < MINIMUM_FREE_BYTES) {
            return Result.failure(reason("not_enough_space"))
        }
        val episode = dao.find(inputData.getLong("episode", 0)) ?: return Result.failure()
        return downloader.fetch(episode).fold({ Result.success() }, { Result.retry() })
    }
}
