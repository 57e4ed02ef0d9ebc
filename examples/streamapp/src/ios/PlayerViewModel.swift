// State of the player screen.
import Observation

@Observable
final class PlayerViewModel {
    private(set) var position: Double = 0
    private(set) var isOffline = false
    var rate: Float = 1.0

    func start(title: Int, episode: Int) async {
        if let local = DownloadStore.shared.ready(title: title, episode: episode) {
            isOffline = true
            await play(local.url)
            return
        }
        let session = try? await API.playback(title: title, episode: episode)
        if let url = session?.manifest { await play(url) }
    }
}
