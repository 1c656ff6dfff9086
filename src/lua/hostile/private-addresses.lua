function agent.resolve(args)
  local results = {}
  for index, url in ipairs(args.urls) do
    local fine, reason = pcall(http.get, url, { timeout = 20 })
    results[index] = fine and ("reached " .. url) or reason
  end
  return results
end
