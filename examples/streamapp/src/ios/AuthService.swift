// Keeps the pair of tokens and renews it once, however many requests ask.
import Foundation

actor AuthService {
    private var access: String?
    private var renewal: Task<String, Error>?

    func accessToken() async throws -> String {
        if let access, !isExpired(access) { return access }
        if let renewal { return try await renewal.value }
        let task = Task { try await refresh() }
        renewal = task
        defer { renewal = nil }
        let fresh = try await task.value
        access = fresh
        return fresh
    }

    private func refresh() async throws -> String {
        let stored = try Keychain.read("refresh_token")
        let pair = try await API.post("/v1/auth/refresh", ["refresh_token": stored])
        try Keychain.write("refresh_token", pair.refresh)
        return pair.access
    }
}
