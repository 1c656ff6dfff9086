function agent.resolve()
  local fine, reason = xpcall(error, function() error("again") end, "first")
  error(tostring(fine) .. ": " .. tostring(reason), 0)
end
