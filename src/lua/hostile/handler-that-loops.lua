function agent.resolve()
  xpcall(error, function() while true do end end, "reason")
end
